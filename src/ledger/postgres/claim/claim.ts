import { sleepUnlessAborted } from '../../../clock.ts';
import type { Clock } from '../../../ports.ts';
import { LedgerError } from '../../error.ts';
import type {
  ClaimOptions,
  ClaimStop,
  RecordState,
  RunClaim,
  SealedRun,
  SharedPace,
} from '../../ledger.ts';
import { type PostgresTargets, targetAddress, type Worker } from '../attempts.ts';
import { type RowColumns, toRecordState } from '../../run-sql.ts';
import * as sql from './claim-sql.ts';
import type { Connection } from '../connection.ts';
import { DOUBT_OWN, lockRun, type Pass, takePass } from './pass.ts';

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
  readonly targets: PostgresTargets;
}

/** Joins the open pass over a run, or opens one. Throws `RunClaimedError`. */
export async function takeClaim(
  connection: Connection,
  settings: ClaimSettings,
  run: SealedRun,
  pid: number,
  wanted: ClaimOptions,
): Promise<Claim> {
  const target = await settings.targets.idOf(targetAddress(run.target));
  const claim = await connection.transaction(async (transaction) => {
    const last = await lockRun(transaction, connection.place, run.id, wanted.join);
    const pass = await takePass(transaction, run, target, last, wanted);
    const values = { run: run.id, pass: pass.pass, host: settings.host, pid };
    const [row] = await transaction.query<{ id: number }>(INSERT_WORKER, values);
    const worker = { id: row?.id ?? 0, run: run.id, pass: pass.pass, pid, sent: new Set<number>() };
    return new Claim(connection, settings, run, worker, pass);
  });
  // A pause of the pass applies to a worker that joins, too. The next look reports a failure.
  await claim.look().catch(() => {});
  return claim;
}

const INSERT_WORKER = `INSERT INTO lectern.workers (run, pass, host, pid)
  VALUES (:run, :pass, :host, :pid) RETURNING id`;

/** A worker of a run: it leases one part after the other, and sends their rows. */
export class Claim implements RunClaim {
  readonly worker: Worker;
  readonly workerId: number;
  readonly pace: SharedPace;
  readonly intentLifetimeMs = INTENT_LIFETIME_MS;
  readonly #connection: Connection;
  readonly #settings: ClaimSettings;
  readonly #run: SealedRun;
  readonly #pass: Pass;
  readonly #stopping = new AbortController();
  readonly #released = new AbortController();
  /** The lines of each leased part that are not done. */
  readonly #open = new Map<number, Set<number>>();
  readonly #partOf = new Map<number, number>();
  readonly #finished = new Set<number>();
  stop: ClaimStop | undefined;
  /** That a failover may have lost what this worker did. */
  failure: LedgerError | undefined;
  /** The living workers of the pass, this one too. */
  #workers: number;
  /** Requests a second, as far as this worker knows. */
  #limit: number | undefined;
  #onHold: (ms: number) => void = (ms) => (this.#heldMs = ms);
  /** How long all wait, as it was found when this worker joined. */
  #heldMs = 0;
  readonly #beating: Promise<unknown>;
  #releasing: Promise<void> | undefined;

  constructor(
    connection: Connection,
    settings: ClaimSettings,
    run: SealedRun,
    worker: Worker,
    pass: Pass,
  ) {
    this.#connection = connection;
    this.#settings = settings;
    this.#run = run;
    this.worker = worker;
    this.workerId = worker.id;
    this.#pass = pass;
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
        act(this.#heldMs);
        // Until the other workers have noticed this one, the rate is all theirs.
        if (rate !== undefined && this.#workers > 1) act(2 * LOOK_MS);
      },
    };
    this.#beating = Promise.all([
      this.#every(BEAT_MS, () => this.#beat()),
      this.#every(LOOK_MS, () => this.look()),
    ]);
  }

  /** What the statements of a worker are given. */
  get #own() {
    const { run, pass, id: worker, pid } = this.worker;
    const learnt = this.#limit ?? null;
    return { run, pass, worker, pid, learnt };
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

  done({ line }: RecordState): void {
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
      const found = await this.look('query');
      if (isOver() || !found?.open) return false;
      if (found.free) return true;
      await sleepUnlessAborted(this.#settings.clock, LOOK_FOR_ROWS_MS, signal ?? this.stopped);
    }
    return false;
  }

  release(): Promise<void> {
    return (this.#releasing ??= this.#release());
  }

  async #release(): Promise<void> {
    this.#released.abort();
    await this.#beating;
    try {
      await this.look();
      if (this.failure) await this.#doubtSent();
      await this.#reportFinished('once');
      await this.#connection.once(sql.RELEASE, this.#own);
      await this.#connection.once(sql.COMPLETE, this.#own, { long: true });
    } catch {
      // The server is away: others take the parts once this worker has been silent for long.
    }
  }

  /** The rows of the next part; undefined where none is free. */
  async #lease(): Promise<RecordState[] | undefined> {
    await this.#reportFinished();
    const own = { ...this.#own, open: [...this.#open.keys()] };
    const [part] = await this.#connection.query<Part>(sql.LEASE, own);
    if (!part) return undefined;
    const { first_line: first, last_line: last } = part;
    const lines = { first, last, states: this.#pass.states };
    const columns = await this.#connection.query<RowColumns>(sql.PART_ROWS, { ...own, ...lines });
    const rows = columns.map(toRecordState);
    this.#open.set(part.part, new Set(rows.map(({ line }) => line)));
    for (const { line } of rows) this.#partOf.set(line, part.part);
    if (rows.length === 0) this.#finish(part.part);
    return rows;
  }

  /** After all answers: what the new server lacks of this worker is in doubt. */
  async #doubtSent(): Promise<void> {
    const { target, credential } = this.#run;
    this.#settings.targets.forget();
    const id = await this.#settings.targets.idOf(targetAddress(target));
    const values = { ...this.#own, target: id, credential, lines: [...this.worker.sent] };
    await this.#connection.query(DOUBT_OWN, values, { long: true });
  }

  #finish(part: number): void {
    this.#open.delete(part);
    this.#finished.add(part);
  }

  /** A part that is not reported as finished is leased again, and has no row left. */
  async #reportFinished(how: 'once' | 'query' = 'query'): Promise<void> {
    const finished = [...this.#finished];
    if (finished.length === 0) return;
    await this.#connection[how](sql.FINISH, { ...this.#own, finished });
    for (const part of finished) this.#finished.delete(part);
  }

  /** Until it is released. Where the server is away, the next time reports it. */
  async #every(ms: number, work: () => Promise<unknown>): Promise<void> {
    const { signal } = this.#released;
    while (!signal.aborted) {
      await sleepUnlessAborted(this.#settings.clock, ms, signal);
      if (!signal.aborted) await work().catch(() => {});
    }
  }

  async #beat(): Promise<void> {
    await this.#connection.once(sql.BEAT, this.#own);
    await this.#reportFinished();
  }

  /** Looks for a failover, and for a stop or a pause that is for all workers of the pass. */
  async look(how: 'once' | 'query' = 'once'): Promise<PassState | undefined> {
    const [found] = await this.#connection[how]<PassState>(sql.LOOK, this.#own);
    if (!found || found.lost) {
      const message =
        'the server was replaced (failover): grades that this worker sent are in doubt where the new server lacks them';
      this.failure ??= new LedgerError('failover', this.#connection.place, message);
      this.#stopFor({ kind: 'failed', error: this.failure });
      return undefined;
    }
    this.#workers = Math.max(1, found.workers);
    if (found.stopped) this.#stopFor({ kind: 'requested' });
    else if (found.waits !== null) this.#stopFor({ kind: 'paused', waitMs: found.waits });
    if (found.held !== null) this.#onHold(found.held);
    return found;
  }
}

/** Lines of a run that a worker has leased. */
interface Part {
  readonly part: number;
  readonly first_line: number;
  readonly last_line: number;
}

interface PassState {
  readonly workers: number;
  readonly stopped: boolean;
  /** Milliseconds: too long to be waited for, and what all wait out. */
  readonly waits: number | null;
  readonly held: number | null;
  readonly lost: boolean;
  /** Whether parts of the pass are left, and whether one of them is free. */
  readonly open: boolean;
  readonly free: boolean;
}
