import type { Clock } from '../../ports.ts';
import { RunClaimedError } from '../error.ts';
import type { ClaimOptions, RowRecord, RunClaim, RunRecord, State } from '../ledger.ts';
import type { Connection } from './connection.ts';
import { ROW_COLUMNS, ROW_STATE, type RowColumns, ROWS, toRow } from './rows.ts';
import type { Worker } from './writer.ts';

/** How often a worker tells that it lives, and after which silence its parts go to others. */
const BEAT_MS = 5000;
const SILENCE = `interval '30 seconds'`;
/**
 * Shorter than the silence: an attempt that a worker has intended, and is late with, may be taken for
 * one in doubt by then, and be sent again where that was asked for.
 */
const INTENT_LIFETIME_MS = 20_000;
/** How often a worker without rows looks whether others have left some. */
const LOOK_MS = 1000;
/** How many rows a part has; in between there are so many parts. */
const LEAST_ROWS_PER_PART = 10;
const MOST_ROWS_PER_PART = 500;
const PARTS = 256;

export interface ClaimSettings {
  readonly clock: Pick<Clock, 'sleep'>;
  /** The name of this machine, unless a claim tells it. */
  readonly host: string;
}

/** Lines of a run that this worker has leased. */
interface Part {
  readonly part: number;
  readonly first_line: number;
  readonly last_line: number;
}

/** A worker of a run: it leases one part after the other, and sends their rows. */
export class Claim implements RunClaim {
  readonly run: RunRecord;
  readonly worker: Worker;
  readonly intentLifetimeMs = INTENT_LIFETIME_MS;
  readonly #connection: Connection;
  readonly #clock: Pick<Clock, 'sleep'>;
  readonly #states: readonly State[];
  readonly #stopping = new AbortController();
  readonly #released = new AbortController();
  /** The rows of each leased part that have not come to their end. */
  readonly #open = new Map<number, Set<number>>();
  readonly #partOf = new Map<number, number>();
  #finished: number[] = [];
  #sent = 0;
  #beating: Promise<void> | undefined;
  #releasing: Promise<void> | undefined;

  private constructor(
    connection: Connection,
    clock: Pick<Clock, 'sleep'>,
    run: RunRecord,
    worker: Worker,
    states: readonly State[],
  ) {
    this.#connection = connection;
    this.#clock = clock;
    this.run = run;
    this.worker = worker;
    this.#states = states;
  }

  /** Joins the pass over a run that is open, or opens one. Throws `RunClaimedError`. */
  static async take(
    connection: Connection,
    settings: ClaimSettings,
    run: RunRecord,
    pid: number,
    wanted: ClaimOptions,
  ): Promise<Claim> {
    const transaction = await connection.begin();
    try {
      await transaction.query('SELECT pg_advisory_xact_lock($1, $2)', [LOCK_CLASS, run.id]);
      const [open] = await transaction.query<OpenPass>(OPEN_PASS, [run.id]);
      if (typeof open?.pid === 'number' && !wanted.join) {
        throw new RunClaimedError(connection.place, run.id, open.pid);
      }
      const joins = wanted.join === true && open !== undefined && open.has_open;
      const pass = joins ? open.pass : (open?.pass ?? 0) + 1;
      const states = joins ? open.states : (wanted.states ?? ['not_sent']);
      if (joins) {
        const resume = 'UPDATE lectern.passes SET stopped = NULL WHERE run = $1 AND pass = $2';
        if (open.is_stopped) await transaction.query(resume, [run.id, pass]);
      } else {
        const openPass = 'INSERT INTO lectern.passes (run, pass, states) VALUES ($1, $2, $3)';
        await transaction.query(openPass, [run.id, pass, states]);
        await transaction.query(MAKE_PARTS, [run.id, pass, states, wanted.limit ?? null]);
      }
      const [row] = await transaction.query<{ id: number }>(
        'INSERT INTO lectern.workers (run, pass, host, pid) VALUES ($1, $2, $3, $4) RETURNING id',
        [run.id, pass, wanted.host ?? settings.host, pid],
      );
      await transaction.end('COMMIT');
      const worker = { id: row?.id ?? 0, run: run.id, pass };
      const claim = new Claim(connection, settings.clock, run, worker, states);
      claim.#beating = claim.#beat();
      return claim;
    } finally {
      await transaction.end('ROLLBACK');
    }
  }

  get stopped(): AbortSignal {
    return this.#stopping.signal;
  }

  /** While the rows of a part are sent, the next part is on its way. */
  async *rows(): AsyncGenerator<RowRecord> {
    let next = this.#lease();
    // A failure is told when the part is asked for.
    next.catch(() => {});
    for (;;) {
      const rows = await next;
      if (rows === undefined || this.stopped.aborted) return;
      next = this.#lease();
      next.catch(() => {});
      yield* rows;
    }
  }

  done({ line }: RowRecord): void {
    const part = this.#partOf.get(line);
    if (part === undefined) return;
    this.#partOf.delete(line);
    this.#sent += 1;
    const open = this.#open.get(part);
    open?.delete(line);
    if (open?.size === 0) this.#finish(part);
  }

  async more(signal?: AbortSignal): Promise<boolean> {
    const isOver = (): boolean => this.stopped.aborted || signal?.aborted === true;
    while (!isOver()) {
      await this.#tellFinished();
      const [left] = await this.#connection.query<{ open: boolean; free: boolean }>(LEFT, [
        this.worker.run,
        this.worker.pass,
        this.worker.id,
      ]);
      if (left?.free) return true;
      if (!left?.open) return false;
      await this.#clock.sleep(LOOK_MS, signal ?? this.stopped).catch(() => {});
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
      .catch(() => {});
  }

  /** The rows of the next part; undefined where none is free. */
  async #lease(): Promise<RowRecord[] | undefined> {
    const { run, pass, id } = this.worker;
    await this.#tellFinished();
    const [part] = await this.#connection.query<Part>(LEASE, [
      run,
      pass,
      id,
      [...this.#open.keys()],
    ]);
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
    this.#finished = this.#finished.filter((part) => !parts.includes(part));
  }

  async #beat(): Promise<void> {
    const { signal } = this.#released;
    while (!signal.aborted) {
      await this.#clock.sleep(BEAT_MS, signal).catch(() => {});
      if (signal.aborted) return;
      const values = [this.worker.id, this.#sent];
      // Where the server is away, the next one tells.
      const [row] = await this.#connection.once<{ stopped: boolean }>(BEAT, values).catch(() => []);
      if (row?.stopped) this.#stopping.abort();
      // A failure is told by whoever asks for rows.
      await this.#tellFinished().catch(() => {});
    }
  }
}

/** Held while a pass is opened or joined, with the run's number. */
const LOCK_CLASS = 0x6c656374;

interface OpenPass {
  readonly pass: number;
  readonly states: State[];
  readonly is_stopped: boolean;
  readonly has_open: boolean;
  /** Of a worker that lives. */
  readonly pid: number | null;
}

const LIVES = `ended IS NULL AND seen > clock_timestamp() - ${SILENCE}`;

const OPEN_PASS = `
  SELECT pass, states, stopped IS NOT NULL AS is_stopped,
    EXISTS (SELECT FROM lectern.parts WHERE parts.run = passes.run AND parts.pass = passes.pass
      AND NOT done) AS has_open,
    (SELECT pid FROM lectern.workers WHERE workers.run = passes.run AND ${LIVES} LIMIT 1) AS pid
  FROM lectern.passes WHERE run = $1 ORDER BY pass DESC LIMIT 1`;

const MAKE_PARTS = `
  INSERT INTO lectern.parts (run, pass, part, first_line, last_line)
  SELECT $1, $2, part, min(line), max(line) FROM (
    SELECT line, ((row_number() OVER (ORDER BY line) - 1)
      / greatest(${LEAST_ROWS_PER_PART}, least(${MOST_ROWS_PER_PART}, count(*) OVER () / ${PARTS})))::int AS part
    FROM (
      SELECT row.line FROM ${ROWS}
      WHERE row.run = $1 AND ${ROW_STATE} = ANY ($3::text[]) ORDER BY row.line LIMIT $4
    ) AS wanted
  ) AS numbered GROUP BY part`;

/** Of nobody, of a worker that is gone, or this worker's own, whose answer was lost. */
const IS_FREE = `(worker IS NULL OR NOT EXISTS (
  SELECT FROM lectern.workers WHERE workers.id = parts.worker AND ${LIVES}))`;

const LEASE = `
  UPDATE lectern.parts SET worker = $3
  WHERE (run, pass, part) = (
    SELECT run, pass, part FROM lectern.parts
    WHERE run = $1 AND pass = $2 AND NOT done
      AND ((worker = $3 AND part <> ALL ($4::int[])) OR ${IS_FREE})
      AND EXISTS (SELECT FROM lectern.passes
        WHERE passes.run = $1 AND passes.pass = $2 AND stopped IS NULL)
    ORDER BY part LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING part, first_line, last_line`;

const LEFT = `
  SELECT count(*) > 0 AS open, coalesce(bool_or(worker = $3 OR ${IS_FREE}), false) AS free
  FROM lectern.parts WHERE run = $1 AND pass = $2 AND NOT done`;

/**
 * A row is sent once in a pass, unless what was tried came to nothing. One in doubt whose answer is
 * awaited is left to the worker that waits for it.
 */
const PART_ROWS = `
  SELECT ${ROW_COLUMNS}, coalesce((SELECT max(try) + 1 FROM lectern.attempts
    WHERE attempts.run = row.run AND attempts.line = row.line), 0) AS tries
  FROM ${ROWS}
  WHERE row.run = $1 AND row.line BETWEEN $3 AND $4 AND ${ROW_STATE} = ANY ($5::text[])
    AND NOT EXISTS (
      SELECT FROM lectern.attempts LEFT JOIN lectern.outcomes AS known ON known.attempt = attempts.id
      WHERE attempts.run = row.run AND attempts.line = row.line AND attempts.pass = $2
        AND coalesce(known.state, 'in_doubt') <> 'not_sent')
    AND NOT (outcome.id IS NOT NULL AND outcome.attempt IS NULL AND EXISTS (
      SELECT FROM lectern.workers WHERE workers.id = outcome.worker AND ${LIVES}))
  ORDER BY row.line`;

const RELEASE = `
  WITH freed AS (
    UPDATE lectern.parts SET done = part = ANY ($4::int[]),
      worker = CASE WHEN part = ANY ($4::int[]) THEN worker END
    WHERE run = $2 AND pass = $3 AND worker = $1 AND NOT done
  )
  UPDATE lectern.workers SET ended = clock_timestamp(), sent = $5 WHERE id = $1`;

const BEAT = `
  UPDATE lectern.workers SET seen = clock_timestamp(), sent = $2 WHERE id = $1
  RETURNING (SELECT stopped IS NOT NULL FROM lectern.passes
    WHERE passes.run = workers.run AND passes.pass = workers.pass) AS stopped`;
