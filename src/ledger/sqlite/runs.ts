import type { Database, Value } from '../../sqlite/database.ts';
import type { FileLock, Locks } from '../../sqlite/locks.ts';
import type { GroupCommit } from '../../sqlite/writer.ts';
import { IS_SENDABLE, type RowColumns, toRecordState, toSummary, WEIGHT } from '../attempt-sql.ts';
import {
  columnList,
  NEW_RUN,
  newRunToColumns,
  OUTCOME,
  parameters,
  ROW,
  RUN,
  values,
  type ValuesOf,
} from '../columns.ts';
import { LedgerError, RunClaimedError } from '../error.ts';
import type {
  ClaimOptions,
  CredentialKind,
  NewRun,
  PlannedRecord,
  RecordFilter,
  RecordState,
  RunClaim,
  RunDraft,
  RunLedger,
  RunRecord,
  RunSummary,
  RunTarget,
  State,
  UnsentRecords,
} from '../ledger.ts';
import { byPages, isOneOf, type PageOptions, pagesOf } from '../pages.ts';
import { readOpenRows, SqliteDraft, sweepDrafts } from './drafts.ts';
import { MOVE_ASIDE } from './error.ts';

/** Every bulk run, in the tables `runs` and `run_rows` (never changed). */
export class SqliteRuns implements RunLedger {
  readonly #database: Database;
  readonly #writer: GroupCommit;
  readonly #locks: Locks;
  readonly #now: () => number;

  constructor(database: Database, writer: GroupCommit, locks: Locks, now: () => number) {
    this.#database = database;
    this.#writer = writer;
    this.#locks = locks;
    this.#now = now;
  }

  async createRun(run: NewRun): Promise<RunDraft> {
    await sweepDrafts(this.#writer, this.#database, this.#locks);
    const lock = await this.#locks.share('drafts', SHARE_WAIT_MS);
    const row = { time: this.#now(), ...newRunToColumns(run) };
    const { id } = await this.#writer.write(() => this.#database.write(INSERT_RUN, row));
    return new SqliteDraft(id, this.#database, this.#writer, lock, () => this.#sealed(id));
  }

  async runs(limit = -1): Promise<RunRecord[]> {
    const sql = `${SELECT_RUNS} ORDER BY id DESC LIMIT ?`;
    return this.#database.all<RunColumns>(sql, [limit]).map((row) => this.#record(row));
  }

  async run(id: number): Promise<RunRecord | undefined> {
    const sql = `${SELECT_RUNS} AND id = ?`;
    const row = this.#database.first<RunColumns>(sql, [id]);
    return row && this.#record(row);
  }

  async #sealed(id: number): Promise<RunRecord> {
    const run = await this.run(id);
    if (!run) throw new LedgerError('refused', this.#database.file, `there is no run ${id}`);
    return run;
  }

  async claimRun(id: number, pid: number, wanted: ClaimOptions = {}): Promise<RunClaim> {
    await this.#sealed(id);
    const lock = this.#locks.take(`run-${id}`);
    if (!lock) throw new RunClaimedError(this.#database.file, id, this.#holder(id));
    try {
      await this.#setHolder(id, pid);
    } catch (error) {
      lock.release();
      throw error;
    }
    let released: Promise<void> | undefined;
    const { states = ['not_sent'], limit } = wanted;
    return {
      pages: () => pagesOf(this.#pageOptions(id, { states, limit, sendable: true })),
      done: () => {},
      taken: () => {},
      more: async () => false,
      stopped: NEVER,
      intentLifetimeMs: Infinity,
      release: () => (released ??= this.#release(id, lock)),
    };
  }

  async #release(id: number, lock: FileLock): Promise<void> {
    // A full disk must not hide how the run ended.
    await this.#writer.write(() => this.#database.write(RELEASE, [id])).catch(() => {});
    lock.release();
  }

  async sender(id: number): Promise<number | undefined> {
    const pid = this.#holder(id);
    // Without a claim there is nothing to find out, and even a short lock could refuse a sender.
    if (pid === undefined) return undefined;
    const lock = this.#locks.take(`run-${id}`);
    lock?.release();
    return lock ? undefined : pid;
  }

  /** For messages only: it may be outdated after a crash. The lock decides. */
  #holder(id: number): number | undefined {
    const row = this.#database.first<{ pid: number | null }>('SELECT pid FROM runs WHERE id = ?', [
      id,
    ]);
    return row?.pid ?? undefined;
  }

  #setHolder(id: number, pid: number): Promise<unknown> {
    return this.#writer.write(() =>
      this.#database.write('UPDATE runs SET pid = ? WHERE id = ?', [pid, id]),
    );
  }

  async openRows(url: string): Promise<UnsentRecords> {
    return readOpenRows(this.#database, url);
  }

  rows(run: number, filter: RecordFilter = {}): AsyncIterable<RecordState> {
    return byPages(this.#pageOptions(run, filter));
  }

  #pageOptions(run: number, { states, limit, sendable }: RecordFilter): PageOptions<RecordState> {
    const isWanted = states ? `AND ${isOneOf(STATE, states)}` : '';
    const wanted = sendable ? `${isWanted} AND ${IS_SENDABLE}` : isWanted;
    const sql = `
      SELECT ${columnList(ROW, 'row')}, ${STATE} AS row_state, attempts.id AS attempt,
        ${columnList(OUTCOME, 'outcome')}
      FROM run_rows AS row
        LEFT JOIN attempts ON attempts.id = (
          SELECT max(${WEIGHT_AND_ID}) % ${WEIGHT_UNIT}
          FROM attempts LEFT JOIN outcomes AS outcome ON outcome.attempt = attempts.id
          WHERE run = row.run AND line = row.line)
        LEFT JOIN outcomes AS outcome ON outcome.attempt = attempts.id
      WHERE row.run = ? ${wanted} AND row.line > ?
      ORDER BY row.line LIMIT ?`;
    const given: Value[] = [run, ...(states ?? [])];
    const wantsNew = states?.includes('not_sent') ?? true;
    return {
      page: (after, count) =>
        this.#database.snapshot(() =>
          wantsNew && !this.#isBegun(run, after)
            ? this.#newRows(run, after, count)
            : this.#database.all<RowColumns>(sql, [...given, after, count]).map(toRecordState),
        ),
      keyOf: ({ line }) => line,
      start: Number.MIN_SAFE_INTEGER,
      limit,
    };
  }

  /** Whether a row beyond this line was tried; false for a run that is sent for the first time. */
  #isBegun(run: number, after: number): boolean {
    const sql = 'SELECT 1 FROM attempts WHERE run = ? AND line > ? LIMIT 1';
    return this.#database.first(sql, [run, after]) !== undefined;
  }

  #newRows(run: number, after: number, count: number): RecordState[] {
    const sql = `SELECT ${columnList(ROW)} FROM run_rows WHERE run = ? AND line > ? ORDER BY line LIMIT ?`;
    const rows = this.#database.all<PlannedRecord>(sql, [run, after, count]);
    return rows.map(({ line, member, body }) => {
      return { line, member, body, state: 'not_sent', attempt: undefined, outcome: undefined };
    });
  }

  async summary(run: number): Promise<RunSummary> {
    return (await this.#sealed(run)).summary;
  }

  #record(row: RunColumns): RunRecord {
    const { rows, ...run } = row;
    const [target, options] = [
      this.#parsed<RunTarget>(row.target),
      this.#parsed<Options>(row.options),
    ];
    return { ...run, target, options, summary: this.#summarise(row.id, rows) };
  }

  /** Parses a column of JSON; one that is invalid was damaged without SQLite noticing. */
  #parsed<Json>(text: string): Json {
    try {
      return JSON.parse(text) as Json;
    } catch (error) {
      const message = `the ledger is damaged (the columns of a run): ${MOVE_ASIDE}`;
      throw new LedgerError('corrupt', this.#database.file, message, error);
    }
  }

  #summarise(run: number, rows: number): RunSummary {
    const counted = this.#database.all<{ state: State; count: number }>(
      // With a single max(), SQLite takes the other columns from the row that has the maximum.
      `SELECT state, count(*) AS count FROM (
         SELECT max(${WEIGHT_AND_ID}), ${STATE} AS state
         FROM attempts LEFT JOIN outcomes AS outcome ON outcome.attempt = attempts.id
         WHERE run = ? GROUP BY line)
       GROUP BY state`,
      [run],
    );
    return toSummary(rows, counted);
  }
}

/** How long to wait while abandoned drafts are removed, a million rows at worst. */
const SHARE_WAIT_MS = 30_000;

/** The only worker is never asked to stop. */
const NEVER = new AbortController().signal;

/** A run is complete when each row was sent or is in doubt. */
const RELEASE = `
  UPDATE runs SET pid = NULL, complete = rows = (
    SELECT count(DISTINCT line)
    FROM attempts LEFT JOIN outcomes AS outcome ON outcome.attempt = attempts.id
    WHERE run = ?1 AND coalesce(outcome.state, 'in_doubt') <> 'not_sent')
  WHERE id = ?1`;

const INSERT_RUN = `INSERT INTO runs ${values({ time: ':time', ...parameters(NEW_RUN) })}`;

const SELECT_RUNS = `SELECT id, time, ${columnList(RUN)} FROM runs WHERE digest IS NOT NULL`;

interface RunColumns extends ValuesOf<typeof RUN> {
  readonly id: number;
  readonly time: number;
  readonly credential: CredentialKind;
}

type Options = RunRecord['options'];

/** The weight of an attempt with its id: the greatest has the id of the attempt that decides. */
const WEIGHT_UNIT = 2 ** 50;
const WEIGHT_AND_ID = `${WEIGHT} * ${WEIGHT_UNIT} + attempts.id`;

/** The state of a row by its decisive attempt. */
const STATE = `coalesce(outcome.state, iif(attempts.id IS NULL, 'not_sent', 'in_doubt'))`;
