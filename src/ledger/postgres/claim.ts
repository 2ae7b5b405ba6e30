import { sleepUnlessAborted } from '../../clock.ts';
import type { Clock } from '../../ports.ts';
import { LedgerError } from '../error.ts';
import type { RowRecord, RunClaim, SealedRun, SharedPace, State } from '../ledger.ts';
import {
  BEAT,
  COMPLETE,
  DOUBT_PARTS,
  HAS_LOST_PARTS,
  HOLD,
  LEASE,
  LEFT,
  LOOK,
  PART_ROWS,
  RELEASE,
  SLOTS,
  WAIT,
} from './claim-sql.ts';
import type { Connection } from './connection.ts';
import { addressOf, Targets } from './targets.ts';
import { type RowColumns, toRow } from './rows.ts';
import type { Worker } from './write-sql.ts';

/** How often a worker tells that it lives. */
const BEAT_MS = 5000;
/**
 * Shorter than the silence: an attempt that a worker has intended, and is late with, may be taken for
 * one in doubt by then, and be sent again where that was asked for.
 */
const INTENT_LIFETIME_MS = 20_000;
/** How often a worker looks what the others tell, and without rows, whether they have left some. */
const LOOK_MS = 1000;
const LOOK_FOR_ROWS_MS = 250;

export interface ClaimSettings {
  readonly clock: Pick<Clock, 'sleep'>;
  /** The name of this machine, unless a claim tells it. */
  readonly host: string;
}

/** What a worker of a pass has to know of it. */
export interface Pass {
  readonly pass: number;
  readonly states: readonly State[];
  readonly rate: number | undefined;
  readonly share: number | undefined;
}

/** Lines of a run that this worker has leased. */
interface Part {
  readonly part: number;
  readonly first_line: number;
  readonly last_line: number;
}

/** A worker of a run: it leases one part after the other, and sends their rows. */
export class Claim implements RunClaim {
  readonly worker: Worker;
  readonly workerId: number;
  readonly pace: SharedPace;
  readonly intentLifetimeMs = INTENT_LIFETIME_MS;
  readonly #connection: Connection;
  readonly #clock: Pick<Clock, 'sleep'>;
  readonly #states: readonly State[];
  readonly #run: SealedRun;
  readonly #pid: number;
  readonly #stopping = new AbortController();
  readonly #released = new AbortController();
  /** The rows of each leased part that have not come to their end. */
  readonly #open = new Map<number, Set<number>>();
  readonly #partOf = new Map<number, number>();
  #finished: number[] = [];
  #sent = 0;
  /** Requests a second, as far as this worker knows. */
  #limit: number | undefined;
  #target: number | undefined;
  #onHold: (ms: number) => void = () => {};
  readonly #beating: Promise<unknown>;
  #releasing: Promise<void> | undefined;

  constructor(
    connection: Connection,
    clock: Pick<Clock, 'sleep'>,
    run: SealedRun,
    worker: Worker,
    pass: Pass,
    pid: number,
  ) {
    this.#pid = pid;
    this.#connection = connection;
    this.#clock = clock;
    this.#run = run;
    this.worker = worker;
    this.workerId = worker.id;
    this.#states = pass.states;
    const values = [worker.run, worker.pass];
    const write = async (sql: string, ms: number): Promise<void> => {
      await connection.once(sql, [...values, ms]);
    };
    this.pace = {
      rate: pass.rate,
      share: pass.share,
      slots: async (count) => {
        const [row] = await connection.query<{ ms: number }>(SLOTS, [...values, count]);
        return row?.ms ?? 0;
      },
      hold: (ms) => write(HOLD, ms),
      wait: (ms) => write(WAIT, ms),
      reportLimit: (rate) => (this.#limit = rate),
      onHold: (act) => (this.#onHold = act),
    };
    this.#beating = Promise.all([this.#beat(), this.#look()]);
  }

  get stopped(): AbortSignal {
    return this.#stopping.signal;
  }

  /** While the rows of a part are sent, the next part is on its way. */
  async *pages(): AsyncGenerator<readonly RowRecord[]> {
    let next = this.#lease();
    // A failure is told when the part is asked for.
    next.catch(() => {});
    for (;;) {
      const rows = await next;
      if (rows === undefined || this.stopped.aborted) return;
      next = this.#lease();
      next.catch(() => {});
      yield rows;
    }
  }

  done(row: RowRecord): void {
    this.#sent += 1;
    this.taken(row);
  }

  taken({ line }: RowRecord): void {
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
      await this.#tellFinished();
      await this.#doubtLostParts();
      const [left] = await this.#connection.query<{ open: boolean; free: boolean }>(LEFT, [
        this.worker.run,
        this.worker.pass,
        this.worker.id,
      ]);
      if (left?.free) return true;
      if (!left?.open) return false;
      await sleepUnlessAborted(this.#clock, LOOK_FOR_ROWS_MS, signal ?? this.stopped);
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
    const { id, run, pass } = this.worker;
    await this.#connection
      .once(RELEASE, [id, run, pass, this.#finished, this.#sent])
      .then(() => this.#connection.once(COMPLETE, [run], { long: true }))
      .catch(() => {});
  }

  /** The rows of the next part; undefined where none is free. */
  async #lease(): Promise<RowRecord[] | undefined> {
    const { run, pass, id } = this.worker;
    const finished = [...this.#finished];
    const values = [run, pass, id, [...this.#open.keys()], finished];
    const [part] = await this.#connection.query<Part>(LEASE, values);
    this.#forgetFinished(finished);
    if (!part) return undefined;
    const found = await this.#connection.query<RowColumns & { tries: number }>(PART_ROWS, [
      run,
      pass,
      part.first_line,
      part.last_line,
      this.#states,
    ]);
    const rows = found.map((row) => toRow(row, row.tries));
    this.#open.set(part.part, new Set(rows.map(({ line }) => line)));
    for (const { line } of rows) this.#partOf.set(line, part.part);
    if (rows.length === 0) this.#finish(part.part);
    return rows;
  }

  async #doubtLostParts(): Promise<void> {
    const { target, credential } = this.#run;
    const { run, pass } = this.worker;
    const lost = await this.#connection.query(HAS_LOST_PARTS, [run, pass]);
    if (lost.length === 0) return;
    const reason = 'the server was replaced while a worker had this row, which may have sent it';
    this.#target ??= await new Targets(this.#connection).idOf(addressOf(target));
    const values = [run, pass, this.#target, credential, this.#states, reason];
    await this.#connection.query(DOUBT_PARTS, values, { long: true });
  }

  #finish(part: number): void {
    this.#open.delete(part);
    this.#finished.push(part);
  }

  /** A part of which this is not told is looked over again, and found to have no row left. */
  async #tellFinished(): Promise<void> {
    if (this.#finished.length === 0) return;
    const { run, pass, id } = this.worker;
    const parts = [...this.#finished];
    const sql = `UPDATE lectern.parts SET done = true
      WHERE run = $1 AND pass = $2 AND worker = $3 AND part = ANY ($4::int[])`;
    await this.#connection.query(sql, [run, pass, id, parts]);
    this.#forgetFinished(parts);
  }

  #forgetFinished(parts: readonly number[]): void {
    this.#finished = this.#finished.filter((part) => !parts.includes(part));
  }

  async #beat(): Promise<void> {
    const { signal } = this.#released;
    while (!signal.aborted) {
      await sleepUnlessAborted(this.#clock, BEAT_MS, signal);
      if (signal.aborted) return;
      const values = [this.worker.id, this.#sent, this.#limit ?? null, this.#pid];
      // Where the server is away, the next one tells.
      const told = await this.#connection.once(BEAT, values).catch(() => undefined);
      if (told?.length === 0) this.#stopping.abort({ error: this.#unknownHere() });
      // A failure is told by whoever asks for rows.
      await this.#tellFinished().catch(() => {});
    }
  }

  #unknownHere(): LedgerError {
    const words =
      'the server was replaced, and does not know this worker: what was stored last is missing there; look into the report of the run before it is continued';
    return new LedgerError('other', this.#connection.place, words);
  }

  /** What the other workers, or who watches them, tell all. */
  async #look(): Promise<void> {
    const { signal } = this.#released;
    while (!signal.aborted && !this.stopped.aborted) {
      await sleepUnlessAborted(this.#clock, LOOK_MS, signal);
      if (signal.aborted) return;
      const values = [this.worker.run, this.worker.pass];
      const [told] = await this.#connection.once<Told>(LOOK, values).catch(() => []);
      if (told?.stopped) this.#stopping.abort({});
      else if (told && told.waits !== null) this.#stopping.abort({ waitMs: told.waits });
      if (told && told.held !== null) this.#onHold(told.held);
    }
  }
}

interface Told {
  readonly stopped: boolean;
  /** Milliseconds: too long to be waited for, and what all wait out. */
  readonly waits: number | null;
  readonly held: number | null;
}
