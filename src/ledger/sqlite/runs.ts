import type { Database } from '../../sqlite/database.ts';
import type { FileLock } from '../../sqlite/locks.ts';
import {
  IS_SENDABLE,
  joinKnown,
  knownColumns,
  type RowColumns,
  stateOf,
  toRecordState,
  toSummary,
  WEIGHT,
} from '../attempt-sql.ts';
import {
  columnList,
  NEW_RUN,
  newRunToColumns,
  parameters,
  ROW,
  RUN,
  SETTLEMENT,
  settlementToColumns,
  select,
  values,
  type ValuesOf,
} from '../columns.ts';
import { LedgerError, RunClaimedError } from '../error.ts';
import type {
  CredentialKind,
  PlannedRecord,
  RecordFilter,
  RecordState,
  RunLedger,
  RunRecord,
  State,
} from '../ledger.ts';
import { byPages, type PageOptions, pagesOf } from '../pages.ts';
import { SQLITE, type SqliteStore } from './attempts.ts';
import { readUnsentRecords, sqliteDraft, sweepDrafts } from './drafts.ts';
import { MOVE_ASIDE } from './error.ts';

/** Every bulk run, in the tables `runs` and `run_rows` (never changed). */
export function sqliteRuns(store: SqliteStore): RunLedger {
  const { database, writer, locks, now, who } = store;

  const sealed = async (id: number): Promise<RunRecord> => {
    const run = await ledger.run(id);
    if (!run) throw new LedgerError('refused', database.file, `there is no run ${id}`);
    return run;
  };

  /** For messages only: it may be outdated after a crash. The lock decides. */
  const holderOf = (id: number): number | undefined => {
    const sql = 'SELECT pid FROM runs WHERE id = ?';
    return database.first<{ pid: number | null }>(sql, [id])?.pid ?? undefined;
  };

  const lockRun = (id: number): FileLock => {
    const lock = locks.take(`run-${id}`);
    if (!lock) throw new RunClaimedError(database.file, id, holderOf(id));
    return lock;
  };

  const releaseRun = async (id: number, lock: FileLock): Promise<void> => {
    // A full disk must not hide how the run ended.
    await writer.write(() => database.write(RELEASE, [id])).catch(() => {});
    lock.release();
  };

  const ledger: RunLedger = {
    async createRun(run) {
      await sweepDrafts(store);
      const lock = await locks.wait('drafts', 'shared', SHARE_WAIT_MS);
      const row = { time: now(), ...newRunToColumns(run) };
      const { id } = await writer.write(() => database.write(INSERT_RUN, row));
      return sqliteDraft(id, store, lock, () => sealed(id));
    },

    async runs(limit = -1) {
      const sql = `${SELECT_RUNS} ORDER BY id DESC LIMIT ?`;
      return database.all<RunColumns>(sql, [limit]).map((row) => toRun(database, row));
    },

    async run(id) {
      const row = database.first<RunColumns>(`${SELECT_RUNS} AND id = ?`, [id]);
      return row && toRun(database, row);
    },

    async claimRun(id, pid, { states = NOT_SENT, limit } = {}) {
      await sealed(id);
      const lock = lockRun(id);
      try {
        const sql = 'UPDATE runs SET pid = ? WHERE id = ?';
        await writer.write(() => database.write(sql, [pid, id]));
      } catch (error) {
        lock.release();
        throw error;
      }
      let released: Promise<void> | undefined;
      return {
        pages: () => pagesOf(rowPages(database, id, { states, limit, sendable: true })),
        done: () => {},
        taken: () => {},
        more: async () => false,
        stopped: NEVER,
        intentLifetimeMs: Infinity,
        release: () => (released ??= releaseRun(id, lock)),
      };
    },

    async sender(id) {
      const pid = holderOf(id);
      // Without a claim there is nothing to find out, and even a short lock could refuse a sender.
      if (pid === undefined) return undefined;
      const lock = locks.take(`run-${id}`);
      lock?.release();
      return lock ? undefined : pid;
    },

    openRows: async (url) => readUnsentRecords(database, url),

    rows: (run, filter = {}) => byPages(rowPages(database, run, filter)),

    pages: (run, filter = {}) => pagesOf(rowPages(database, run, filter)),

    summary: async (run) => (await sealed(run)).summary,

    async settleDoubts(run, settlements) {
      if (run !== undefined) await sealed(run);
      const lock = run === undefined ? undefined : lockRun(run);
      try {
        return await writer.write(() => {
          const settled = settlements.filter((each) => {
            const { row, before } = each;
            const made = { row, before, time: now(), who, ...settlementToColumns(each) };
            const { changes } =
              run === undefined
                ? database.write(SETTLE_ONE, made)
                : database.write(SETTLE_ROW, { ...made, run });
            return changes > 0;
          });
          if (run !== undefined) database.write(COMPLETE_RUN, [run]);
          return settled.map(({ row }) => row);
        });
      } finally {
        lock?.release();
      }
    },
  };
  return ledger;
}

function rowPages(
  database: Database,
  run: number,
  { states, limit, sendable }: RecordFilter,
): PageOptions<RecordState> {
  const isWanted = states ? `AND ${STATE} IN (SELECT value FROM json_each(:states))` : '';
  const sql = `
    SELECT ${columnList(ROW, 'row')}, ${STATE} AS row_state, attempts.id AS attempt,
      attempts.time AS made, ${knownColumns(SQLITE)}
    FROM run_rows AS row
      LEFT JOIN attempts ON attempts.id = (
        SELECT max(${WEIGHT_AND_ID}) % ${WEIGHT_UNIT}
        FROM attempts ${joinKnown(SQLITE)} WHERE run = row.run AND line = row.line)
      ${joinKnown(SQLITE)}
    WHERE row.run = :run ${isWanted} ${sendable ? `AND ${IS_SENDABLE}` : ''} AND row.line > :after
    ORDER BY row.line LIMIT :count`;
  const wanted = { run, ...(states && { states: JSON.stringify(states) }) };
  const wantsNew = states?.includes('not_sent') ?? true;
  const page = (after: number, count: number): RecordState[] =>
    wantsNew && !isBegun(database, run, after)
      ? newRows(database, run, after, count)
      : database.all<RowColumns>(sql, { ...wanted, after, count }).map(toRecordState);
  return {
    page: (after, count) => database.snapshot(() => page(after, count)),
    keyOf: ({ line }) => line,
    start: Number.MIN_SAFE_INTEGER,
    limit,
  };
}

/** Whether a row beyond this line was tried; false for a run that is sent for the first time. */
function isBegun(database: Database, run: number, after: number): boolean {
  const sql = 'SELECT 1 FROM attempts WHERE run = ? AND line > ? LIMIT 1';
  return database.first(sql, [run, after]) !== undefined;
}

/** The same without a look at attempts, which takes twice as long. */
function newRows(database: Database, run: number, after: number, count: number): RecordState[] {
  const sql = `SELECT ${columnList(ROW)} FROM run_rows WHERE run = ? AND line > ? ORDER BY line LIMIT ?`;
  const rows = database.all<PlannedRecord>(sql, [run, after, count]);
  return rows.map(({ line, member, body }) => ({ line, member, body, state: 'not_sent' }));
}

function toRun(database: Database, { rows, ...run }: RunColumns): RunRecord {
  try {
    const target = JSON.parse(run.target) as RunRecord['target'];
    const options = JSON.parse(run.options) as RunRecord['options'];
    const counted = database.all<{ state: State; count: number }>(COUNT_STATES, [run.id]);
    return { ...run, target, options, summary: toSummary(rows, counted) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // Damaged without SQLite noticing.
    const message = `the ledger is damaged (the columns of a run): ${MOVE_ASIDE}`;
    throw new LedgerError('corrupt', database.file, message, error);
  }
}

const NOT_SENT: readonly State[] = ['not_sent'];

/** How long to wait while abandoned drafts are removed, a million rows at worst. */
const SHARE_WAIT_MS = 30_000;

/** The only worker is never asked to stop. */
const NEVER = new AbortController().signal;

/** A run is complete when each row was sent or is in doubt. */
const IS_COMPLETE = `rows = (
    SELECT count(DISTINCT line) FROM attempts ${joinKnown(SQLITE)}
    WHERE run = ?1 AND ${stateOf()} <> 'not_sent')`;
const RELEASE = `UPDATE runs SET pid = NULL, complete = ${IS_COMPLETE} WHERE id = ?1`;
export const COMPLETE_RUN = `UPDATE runs SET complete = ${IS_COMPLETE} WHERE id = ?1`;

/** The attempts that have no answer, and the state that was looked at. */
const settle = (which: string): string => `
  INSERT INTO settlements ${select({
    attempt: 'attempts.id',
    time: ':time',
    ...parameters(SETTLEMENT),
  })}
  FROM attempts ${joinKnown(SQLITE)}
  WHERE ${which} AND ${stateOf()} = :before AND coalesce(outcome.state, 'in_doubt') = 'in_doubt'`;
const SETTLE_ROW = settle('run = :run AND attempts.line = :row');
const SETTLE_ONE = settle('run IS NULL AND attempts.id = :row');

const INSERT_RUN = `INSERT INTO runs ${values({ time: ':time', ...parameters(NEW_RUN) })}`;

const SELECT_RUNS = `SELECT id, time, ${columnList(RUN)} FROM runs WHERE digest IS NOT NULL`;

interface RunColumns extends ValuesOf<typeof RUN> {
  readonly id: number;
  readonly time: number;
  readonly credential: CredentialKind;
}

/** The weight of an attempt with its id: the greatest has the id of the attempt that decides. */
const WEIGHT_UNIT = 2 ** 50;
const WEIGHT_AND_ID = `${WEIGHT} * ${WEIGHT_UNIT} + attempts.id`;

/** The state of a row by its decisive attempt. */
const STATE = `iif(attempts.id IS NULL, 'not_sent', ${stateOf()})`;

/** With a single max(), SQLite takes the other columns from the row that has the maximum. */
const COUNT_STATES = `
  SELECT state, count(*) AS count FROM (
    SELECT max(${WEIGHT_AND_ID}), ${STATE} AS state
    FROM attempts ${joinKnown(SQLITE)} WHERE run = ? GROUP BY line)
  GROUP BY state`;
