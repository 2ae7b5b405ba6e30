import { joinKnown, stateOf } from '../attempt-sql.ts';
import { columnsOf, ROW, select, SETTLEMENT, settlementToColumns } from '../columns.ts';
import type { Overlap, RunDraft, RunLedger, UnsentRecords } from '../ledger.ts';
import { ROW_STATE, runReader, WEIGHT } from '../run-sql.ts';
import { IS_ALIVE, RECOUNT } from './claim/claim-sql.ts';
import type { Worker } from './attempts.ts';
import { type Claim, type ClaimSettings, takeClaim } from './claim/claim.ts';
import { givenRows, jsonRows, POSTGRES, ROWS } from './columns.ts';
import type { Connection } from './connection.ts';
import { beginDraft, RUNS_FOR } from './drafts.ts';
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
  const drafts = new Set<RunDraft>();
  const claims = new Map<number, Claim>();

  const { sealed, record, ...reader } = runReader(POSTGRES, {
    place: connection.place,
    countRows: COUNT_ROWS,
    // A page of few rows may be faster by reading the whole run.
    read: (sql, values) => connection.query(sql, values, { long: true }),
  });

  return {
    ...reader,

    workerOf: (run) => (run === undefined ? undefined : claims.get(run)?.worker),

    async createRun(run) {
      const draft = await beginDraft(connection, run, record);
      drafts.add(draft);
      return draft;
    },

    async claimRun(id, pid, wanted = {}) {
      const run = await sealed(id);
      const claim = await takeClaim(connection, settings, run, pid, wanted);
      claims.set(id, claim);
      return claim;
    },

    openRows: (url) => readUnsentRecords(connection, url),

    /** Its workers are in `workers`, and others may join them. */
    sender: async () => undefined,

    async settleDoubts(id, settlements) {
      const columns = settlements.map((each) => {
        const { row, before } = each;
        return { ...settlementToColumns(each), row, before };
      });
      const given = { host: settings.host, settlements: jsonRows(columns) };
      const run = id === undefined ? undefined : (await sealed(id)).id;
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
      for (const draft of drafts) await draft.discard();
    },
  };
}

/**
 * In one pass over the attempts: the state of a row is that of its greatest (weight, id, state), packed into
 * one number with 50 bits for the id and 3 for the place of the state.
 */
const STATES_IN_ORDER = `ARRAY['not_sent', 'refused', 'in_doubt', 'under_way', 'failed', 'success']`;
export const COUNT_ROWS = `
  SELECT (${STATES_IN_ORDER})[(heaviest % 8)::int] AS state, count(*) AS count FROM (
    SELECT max(((${WEIGHT})::bigint * (1::bigint << 50) + attempts.id) * 8
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
