import { sleepUnlessAborted } from '../../../clock.ts';
import type { Clock } from '../../../ports.ts';
import { type RowColumns, toRecordState } from '../../attempt-sql.ts';
import type { LedgerError } from '../../error.ts';
import type {
  ClaimStop,
  RecordState,
  RunClaim,
  SealedRun,
  SharedPace,
  State,
} from '../../ledger.ts';
import type { Connection } from '../connection.ts';
import type { Worker } from '../outbox/outbox.ts';
import * as sql from './claim-sql.ts';
import { doubtLost, failoverError, type Part, recover } from './failover.ts';

/** How often a worker reports that it is alive. */
const BEAT_MS = 5000;
/**
 * Shorter than the silence: an attempt that a worker has intended, and is late with, may be taken for
 * one in doubt by then, and be sent again where that was asked for.
 */
const INTENT_LIFETIME_MS = 20_000;
/** How often a worker looks whether the pass was stopped, and without rows, for rows that are free. */
const LOOK_MS = 1000;
const LOOK_FOR_ROWS_MS = 250;

export interface ClaimSettings {
  readonly clock: Pick<Clock, 'sleep'>;
  /** The name of this machine, shown to other workers. */
  readonly host: string;
  /** The lines of a run that were sent here, and whose outcome is awaited. */
  readonly linesUnderWay: (run: number) => number[];
}

/** What a worker of a pass has to know of it. */
export interface Pass {
  readonly pass: number;
  readonly states: readonly State[];
  readonly rate: number | undefined;
  readonly share: number | undefined;
  /** The living workers, the new one too. */
  readonly workers: number;
}

/** A worker of a run: it leases one part after the other, and sends their rows. */
export class Claim implements RunClaim {
  readonly worker: Worker;
  readonly workerId: number;
  readonly pace: SharedPace;
  readonly intentLifetimeMs = INTENT_LIFETIME_MS;
  readonly #connection: Connection;
  readonly #settings: ClaimSettings;
  readonly #states: readonly State[];
  readonly #run: SealedRun;
  readonly #pid: number;
  readonly #stopping = new AbortController();
  readonly #released = new AbortController();
  /** The lines of each leased part that are not done. */
  readonly #open = new Map<number, Set<number>>();
  readonly #partOf = new Map<number, number>();
  /** The parts that were leased from the known server, and whose rows have been read. */
  #leased: Part[] = [];
  /** The part that was leased last, until its rows are read: none of them can have been sent. */
  #unread: Part | undefined;
  /** The timeline of the server that leased these parts. */
  #timeline: string;
  #finished: number[] = [];
  #sent = 0;
  stop: ClaimStop | undefined;
  /** What a failover has lost of this worker. */
  failure: LedgerError | undefined;
  /** The living workers of the pass, this one too. */
  #workers: number;
  /** Requests a second, as far as this worker knows. */
  #limit: number | undefined;
  #onHold: (ms: number) => void = () => {};
  readonly #beating: Promise<unknown>;
  #releasing: Promise<void> | undefined;
  #recovering: Promise<void> | undefined;

  constructor(
    connection: Connection,
    settings: ClaimSettings,
    run: SealedRun,
    worker: Worker,
    pass: Pass,
    { pid, timeline }: { readonly pid: number; readonly timeline: string },
  ) {
    this.#pid = pid;
    this.#connection = connection;
    this.#settings = settings;
    this.#timeline = timeline;
    this.#run = run;
    this.worker = worker;
    this.workerId = worker.id;
    this.#states = pass.states;
    const { rate } = pass;
    const ownRate = () => (rate === undefined ? undefined : rate / this.#workers);
    this.#workers = pass.workers;
    const write = async (statement: string, ms: number): Promise<void> => {
      await connection.once(statement, { ...this.#own, ms });
    };
    this.pace = {
      get rate() {
        return ownRate();
      },
      share: pass.share,
      hold: (ms) => write(sql.HOLD, ms),
      wait: (ms) => write(sql.WAIT, ms),
      reportLimit: (learnt) => (this.#limit = learnt),
      onHold: (act) => {
        this.#onHold = act;
        // Until the other workers have noticed this one, the rate is all theirs.
        if (rate !== undefined && this.#workers > 1) act(2 * LOOK_MS);
      },
    };
    this.#beating = Promise.all([this.#beat(), this.#look()]);
  }

  /** What the statements of a worker are given. */
  get #own() {
    const { run, pass, id: worker } = this.worker;
    return { run, pass, worker, timeline: this.#timeline };
  }

  get stopped(): AbortSignal {
    return this.#stopping.signal;
  }

  #stopFor(stop: ClaimStop): void {
    this.stop ??= stop;
    this.#stopping.abort();
  }

  /** While the rows of a part are sent, the next part is on its way. */
  async *pages(): AsyncGenerator<readonly RecordState[]> {
    let next = this.#lease();
    // A failure is reported when the part is asked for.
    next.catch(() => {});
    for (;;) {
      const rows = await next;
      if (rows === undefined || this.stopped.aborted) return;
      next = this.#lease();
      next.catch(() => {});
      yield rows;
    }
  }

  done(row: RecordState): void {
    this.#sent += 1;
    this.taken(row);
  }

  taken({ line }: RecordState): void {
    const part = this.#partOf.get(line);
    if (part === undefined) return;
    this.#partOf.delete(line);
    const open = this.#open.get(part);
    open?.delete(line);
    if (open?.size === 0) this.#finish(part);
  }

  async more(signal?: AbortSignal): Promise<boolean> {
    const isOver = (): boolean => this.stopped.aborted || signal?.aborted === true;
    while (!isOver()) {
      await this.#reportFinished();
      await doubtLost(this.#connection, this.worker.run);
      const [left] = await this.#connection.query<Left>(sql.LEFT, this.#own);
      if (left && left.timeline !== this.#timeline) {
        await this.#recover();
        continue;
      }
      // The pass may have been stopped meanwhile.
      if (left?.free) return !isOver();
      if (!left?.open) return false;
      await sleepUnlessAborted(this.#settings.clock, LOOK_FOR_ROWS_MS, signal ?? this.stopped);
    }
    return false;
  }

  release(): Promise<void> {
    return (this.#releasing ??= this.#release());
  }

  /** Where the server is away, others take the parts once this worker has been silent for long. */
  async #release(): Promise<void> {
    this.#released.abort();
    await this.#beating;
    try {
      if (!(await this.#end())) {
        await this.#recover();
        await this.#end();
      }
      await this.#connection.once(sql.COMPLETE, this.#own, { long: true });
    } catch {
      // Others take the parts.
    }
  }

  /** Whether the server is the one that is known. */
  async #end(): Promise<boolean> {
    const values = { ...this.#own, finished: this.#finished, sent: this.#sent };
    return (await this.#connection.once(sql.RELEASE, values)).length > 0;
  }

  /** The rows of the next part; undefined where none is free. */
  async #lease(): Promise<RecordState[] | undefined> {
    const finished = [...this.#finished];
    const values = { ...this.#own, finished, open: [...this.#open.keys()] };
    const [part] = await this.#connection.query<Part>(sql.LEASE, values);
    this.#forgetFinished(finished);
    if (!part) return undefined;
    this.#unread = part;
    const { first_line: first, last_line: last } = part;
    const columns = await this.#connection.query<RowColumns>(sql.PART_ROWS, {
      ...this.#own,
      first,
      last,
      states: this.#states,
    });
    this.#unread = undefined;
    this.#leased.push(part);
    const rows = columns.map(toRecordState);
    this.#open.set(part.part, new Set(rows.map(({ line }) => line)));
    for (const { line } of rows) this.#partOf.set(line, part.part);
    if (rows.length === 0) this.#finish(part.part);
    return rows;
  }

  /** Another server has taken over. What it lacks of this worker is in doubt, and ends it. */
  #recover(): Promise<void> {
    return (this.#recovering ??= this.#meetServer().finally(() => (this.#recovering = undefined)));
  }

  async #meetServer(): Promise<void> {
    const open = [...this.#open.keys(), ...(this.#unread ? [this.#unread.part] : [])];
    const parts = this.#leased;
    const { lost, timeline } = await recover(this.#connection, this.#run, {
      ...this.#own,
      pid: this.#pid,
      states: this.#states,
      first: parts.map((part) => part.first_line),
      last: parts.map((part) => part.last_line),
      open,
      over: parts.map(({ part }) => part).filter((part) => !open.includes(part)),
      openLines: [...this.#partOf.keys()],
      underWay: this.#settings.linesUnderWay(this.worker.run),
    });
    this.#leased = this.#leased.filter(({ part }) => open.includes(part));
    this.#finished = this.#finished.filter((part) => open.includes(part));
    this.#timeline = timeline ?? this.#timeline;
    if (lost > 0 || timeline === undefined) {
      this.failure = failoverError(this.#connection.place, lost, timeline !== undefined);
      this.#stopFor({ kind: 'failed', error: this.failure });
    }
  }

  #finish(part: number): void {
    this.#open.delete(part);
    this.#finished.push(part);
  }

  /** A part that is not reported as finished is leased again, and has no row left. */
  async #reportFinished(): Promise<void> {
    if (this.#finished.length === 0) return;
    const finished = [...this.#finished];
    await this.#connection.query(sql.FINISH, { ...this.#own, finished });
    this.#forgetFinished(finished);
  }

  #forgetFinished(parts: readonly number[]): void {
    this.#finished = this.#finished.filter((part) => !parts.includes(part));
  }

  async #beat(): Promise<void> {
    const { signal } = this.#released;
    while (!signal.aborted) {
      await sleepUnlessAborted(this.#settings.clock, BEAT_MS, signal);
      if (signal.aborted) return;
      const learnt = this.#limit ?? null;
      const values = { ...this.#own, sent: this.#sent, learnt, pid: this.#pid };
      // Where the server is away, the next one reports it.
      const beaten = await this.#connection.once(sql.BEAT, values).catch(() => undefined);
      // The next request for records reports a failure.
      if (beaten?.length === 0 && !this.stopped.aborted) await this.#recover().catch(() => {});
      await this.#reportFinished().catch(() => {});
    }
  }

  /** Looks for a stop or a pause that is for all workers of the pass. */
  async #look(): Promise<void> {
    const { signal } = this.#released;
    while (!signal.aborted && !this.stopped.aborted) {
      await sleepUnlessAborted(this.#settings.clock, LOOK_MS, signal);
      if (signal.aborted) return;
      const [found] = await this.#connection.once<PassState>(sql.LOOK, this.#own).catch(() => []);
      if (found && found.timeline !== this.#timeline) await this.#recover().catch(() => {});
      if (found) this.#workers = Math.max(1, found.workers);
      if (found?.stopped) this.#stopFor({ kind: 'requested' });
      else if (found && found.waits !== null)
        this.#stopFor({ kind: 'paused', waitMs: found.waits });
      if (found && found.held !== null) this.#onHold(found.held);
    }
  }
}

interface PassState {
  readonly workers: number;
  readonly stopped: boolean;
  /** Milliseconds: too long to be waited for, and what all wait out. */
  readonly waits: number | null;
  readonly held: number | null;
  readonly timeline: string;
}

interface Left {
  readonly open: boolean;
  readonly free: boolean;
  readonly timeline: string;
}
