import {
  IS_SENDABLE,
  joinKnown,
  type RowColumns,
  stateOf,
  toRecordState,
  toSummary,
  WEIGHT,
} from '../attempt-sql.ts';
import {
  columnList,
  columnsOf,
  ROW,
  RUN,
  select,
  SETTLEMENT,
  settlementToColumns,
  type ValuesOf,
} from '../columns.ts';
import { LedgerError } from '../error.ts';
import type {
  CredentialKind,
  Overlap,
  RecordFilter,
  RecordState,
  RunLedger,
  RunRecord,
  RunSummary,
  State,
  UnsentRecords,
} from '../ledger.ts';
import { byPages, type PageOptions, pagesOf } from '../pages.ts';
import { IS_ALIVE, RECOUNT } from './claim/claim-sql.ts';
import type { Worker } from './attempts.ts';
import { type Claim, type ClaimSettings, takeClaim } from './claim/claim.ts';
import { givenRows, jsonRows, msOf, POSTGRES, ROW_COLUMNS, ROW_STATE, ROWS } from './columns.ts';
import type { Connection, Values } from './connection.ts';
import { beginDraft, type PostgresDraft, RUNS_FOR } from './drafts.ts';
import { lockRun } from './claim/pass.ts';

/** The runs of a ledger, and what it knows of those that this process sends. */
export interface PostgresRuns extends RunLedger {
  /** The worker that sends a run in this process. */
  readonly workerOf: (run: number | undefined) => Worker | undefined;
  /** Throws if a failover has lost records of a claim. */
  readonly check: () => void;
  readonly close: () => Promise<void>;
}

/** Every bulk run of all machines, in the tables `runs` and `run_rows` (never changed). */
export function postgresRuns(connection: Connection, settings: ClaimSettings): PostgresRuns {
  const drafts = new Map<number, PostgresDraft>();
  const claims = new Map<number, Claim>();

  const toRun = async ({ rows, ...run }: RunColumns): Promise<RunRecord> => ({
    ...run,
    summary: await summariseRun(connection, run.id, rows),
  });

  const find = async (id: number): Promise<RunColumns | undefined> => {
    if (!Number.isSafeInteger(id)) return undefined;
    const [row] = await connection.query<RunColumns>(`${SELECT_RUNS} AND id = :id`, { id });
    return row;
  };

  const findSealed = async (id: number): Promise<RunColumns> => {
    const row = await find(id);
    if (!row) throw new LedgerError('refused', connection.place, `there is no run ${id}`);
    return row;
  };

  /** A draft is visible to its own transaction only. */
  const queryRows = (run: number, sql: string, values: Values): Promise<RowColumns[]> => {
    const transaction = drafts.get(run)?.transaction;
    return transaction?.isOpen
      ? transaction.query(sql, values)
      : // A page of few rows may be faster by reading the whole run.
        connection.query(sql, values, { long: true });
  };

  const rowPages = (
    run: number,
    { states, limit, sendable }: RecordFilter,
  ): PageOptions<RecordState> => {
    const sql = `
      SELECT ${ROW_COLUMNS} FROM ${ROWS}
      WHERE row.run = :run AND (:states::text[] IS NULL OR ${ROW_STATE} = ANY (:states))
        ${sendable ? `AND ${IS_SENDABLE}` : ''} AND row.line > :after
      ORDER BY row.line LIMIT :count`;
    const wanted = { run, states: states ?? null };
    return {
      page: async (after, count) =>
        (await queryRows(run, sql, { ...wanted, after, count })).map(toRecordState),
      keyOf: ({ line }) => line,
      start: Number.MIN_SAFE_INTEGER,
      limit,
    };
  };

  return {
    workerOf: (run) => (run === undefined ? undefined : claims.get(run)?.worker),

    async createRun(run) {
      const sealed = async (id: number) => toRun(await findSealed(id));
      const draft = await beginDraft(connection, run, sealed);
      drafts.set(draft.id, draft);
      return draft;
    },

    async runs(limit) {
      const sql = `${SELECT_RUNS} ORDER BY id DESC LIMIT :limit::bigint`;
      const rows = await connection.query<RunColumns>(sql, { limit: limit ?? null });
      const records: RunRecord[] = [];
      for (const row of rows) records.push(await toRun(row));
      return records;
    },

    async run(id) {
      const row = await find(id);
      return row && toRun(row);
    },

    async claimRun(id, pid, wanted = {}) {
      const run = await findSealed(id);
      const claim = await takeClaim(connection, settings, run, pid, wanted);
      claims.set(id, claim);
      return claim;
    },

    openRows: (url) => readUnsentRecords(connection, url),

    rows: (run, filter = {}) => byPages(rowPages(run, filter)),

    pages: (run, filter = {}) => pagesOf(rowPages(run, filter)),

    /** Its workers are in `workers`, and others may join them. */
    sender: async () => undefined,

    summary: async (run) => (await toRun(await findSealed(run))).summary,

    async settleDoubts(id, settlements) {
      const columns = settlements.map((each) => {
        const { row, before } = each;
        return { ...settlementToColumns(each), row, before };
      });
      const given = { host: settings.host, settlements: jsonRows(columns) };
      const run = id === undefined ? undefined : (await findSealed(id)).id;
      const settled = await connection.transaction(async (transaction) => {
        if (run === undefined) return transaction.query<{ row: number }>(SETTLE_ONES, given);
        await lockRun(transaction, connection.place, run);
        const rows = await transaction.query<{ row: number }>(SETTLE_ROWS, { ...given, run });
        await transaction.query(RECOUNT, { run });
        return rows;
      });
      return settled.map(({ row }) => row);
    },

    check() {
      for (const { failure } of claims.values()) if (failure) throw failure;
    },

    async close() {
      for (const claim of claims.values()) await claim.release();
      for (const draft of drafts.values()) await draft.discard();
    },
  };
}

const SELECT_RUNS = `
  SELECT id, ${msOf('time')} AS time, ${columnList(RUN)}
  FROM lectern.runs WHERE digest IS NOT NULL`;

interface RunColumns
  extends Omit<ValuesOf<typeof RUN>, 'target' | 'options'>, Pick<RunRecord, 'target' | 'options'> {
  readonly id: number;
  readonly time: number;
  readonly credential: CredentialKind;
}

/** The number of a run's rows in each state. */
export async function summariseRun(
  connection: Pick<Connection, 'query'>,
  run: number,
  rows: number,
): Promise<RunSummary> {
  const counted = await connection.query<{ state: State; count: number }>(
    SUMMARY,
    { run },
    { long: true },
  );
  return toSummary(rows, counted);
}

/** In one pass over the attempts: the state of a row is that of its greatest (weight, id, state). */
const STATES_IN_ORDER = `ARRAY['not_sent', 'refused', 'in_doubt', 'under_way', 'failed', 'success']`;
const SUMMARY = `
  SELECT (${STATES_IN_ORDER})[(heaviest % 8)::int] AS state, count(*) AS count FROM (
    SELECT max(((${WEIGHT})::bigint * 1125899906842624 + attempts.id) * 8
      + array_position(${STATES_IN_ORDER}, CASE
        WHEN outcome.attempt IS NULL AND settlement.id IS NULL AND attempts.worker IN (
          SELECT id FROM lectern.workers WHERE workers.run = :run AND ${IS_ALIVE})
        THEN 'under_way' ELSE ${stateOf()} END)) AS heaviest
    FROM lectern.attempts ${joinKnown(POSTGRES)}
    WHERE attempts.run = :run GROUP BY attempts.line
  ) AS rows GROUP BY 1`;

/** The attempts that have no answer, and the state that was looked at. */
const settle = (row: string, which: string): string => `
  WITH made AS (
    INSERT INTO lectern.settlements ${select({
      ...columnsOf('given', SETTLEMENT),
      attempt: 'attempts.id',
      who: `session_user || '@' || :host`,
    })}
    FROM ${givenRows(':settlements', { row: 'bigint', before: 'text', ...SETTLEMENT })}
      JOIN lectern.attempts ON ${which} AND ${row} = given.row
      ${joinKnown(POSTGRES)}
    WHERE ${stateOf()} = given.before AND coalesce(outcome.state, 'in_doubt') = 'in_doubt'
    RETURNING attempt
  )
  SELECT DISTINCT ${row} AS row FROM made JOIN lectern.attempts ON attempts.id = made.attempt`;
const SETTLE_ROWS = settle('attempts.line', 'attempts.run = :run');
const SETTLE_ONES = settle('attempts.id', 'attempts.run IS NULL');

async function readUnsentRecords(connection: Connection, url: string): Promise<UnsentRecords> {
  const runs = await connection.query<{ id: number; complete: boolean }>(RUNS_FOR, { url });
  const open = runs.filter(({ complete }) => !complete).map(({ id }) => id);
  return {
    runs: runs.map(({ id }) => id),
    overlaps: async (rows) => {
      if (open.length === 0 || rows.length === 0) return [];
      const planned = rows.map(({ member, body }) => ({ member, body }));
      const values = { open, planned: jsonRows(planned) };
      return connection.query<Overlap>(OVERLAPS, values, { long: true });
    },
    close: () => {},
  };
}

const { member, body } = ROW;
const PLANNED = { member, body };

const OVERLAPS = `
  SELECT row.run, count(*) AS members, count(*) FILTER (WHERE row.body = given.body) AS same
  FROM ${givenRows(':planned', PLANNED)}, ${ROWS}
  WHERE row.member = given.member AND row.run = ANY (:open::bigint[])
    AND ${ROW_STATE} = 'not_sent'
  GROUP BY row.run ORDER BY row.run`;
