import { joinKnown, stateOf } from '../attempt-sql.ts';
import {
  columnsOf,
  NEW_RUN,
  newRunToColumns,
  parameters,
  ROW,
  select,
  values,
} from '../columns.ts';
import { LedgerError, SameRunError } from '../error.ts';
import type { NewRun, PlannedRecord, RunDraft, RunLedger, RunRecord } from '../ledger.ts';
import {
  runReader,
  sameRows,
  type SameRows,
  settlementRows,
  settleRows,
  WEIGHT,
} from '../run-sql.ts';
import { IS_ALIVE, RECOUNT } from './claim/claim-sql.ts';
import type { Worker } from './attempts.ts';
import { type Claim, type ClaimSettings, takeClaim } from './claim/claim.ts';
import { givenRows, jsonRows, POSTGRES } from './columns.ts';
import type { Connection, Transaction } from './connection.ts';
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
    read: (sql, asked) => connection.query(sql, asked, { long: true }),
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

    /** Its workers are in `workers`, and others may join them. */
    sender: async () => undefined,

    async settleDoubts(id, settlements) {
      const given = {
        host: settings.host,
        settlements: jsonRows(settlementRows(settlements)),
      };
      const run = id === undefined ? undefined : (await sealed(id)).id;
      const settled = await connection.transaction(async (transaction) => {
        if (run === undefined) return transaction.query<{ row: number }>(SETTLE_ONES, given);
        await lockRun(transaction, connection.place, run);
        const rows = await transaction.query<{ row: number }>(SETTLE_ROWS, { ...given, run });
        await transaction.query(RECOUNT, { run });
        return rows;
      });
      return [...new Set(settled.map(({ row }) => row))];
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

const SETTLED = { who: `session_user || '@' || :host` };
const SETTLE_ROWS = settleRows(POSTGRES, SETTLED, 'line', 'attempts.run = :run');
const SETTLE_ONES = settleRows(POSTGRES, SETTLED, 'id', 'attempts.run IS NULL');

/**
 * A run that is being filled, in one transaction: no other process sees it before it is sealed, and
 * it vanishes if its process ends.
 */
async function beginDraft(
  connection: Connection,
  run: NewRun,
  sealed: (id: number) => Promise<RunRecord>,
): Promise<RunDraft> {
  const { place } = connection;
  const transaction = await connection.begin();
  let id: number;
  try {
    const [made] = await transaction.query<{ id: number }>(INSERT_RUN, newRunToColumns(run));
    id = made?.id ?? 0;
  } catch (error) {
    await transaction.end('ROLLBACK');
    throw error;
  }
  let count = 0;
  const checkOpen = (): void => {
    if (transaction.isOpen) return;
    const message = `run ${id} is sealed or discarded: nothing can be added`;
    throw new LedgerError('refused', place, message);
  };

  return {
    id,

    async addRows(rows) {
      checkOpen();
      await transaction.query('SAVEPOINT batch');
      try {
        await insertRows(transaction, id, rows);
      } catch (error) {
        await transaction.query('ROLLBACK TO batch').catch(() => {});
        throw error;
      }
      await transaction.query('RELEASE batch');
      count += rows.length;
    },

    async seal(digest, options = {}, compared) {
      checkOpen();
      if (compared) {
        const { url } = run.target;
        // No other run for the URL is sealed before this one.
        await transaction.lock(LOCK_CLASS, url);
        const asked = { run: id, url, compared: compared.map(String) };
        const [same] = await transaction.query<SameRows>(sameRows(POSTGRES), asked);
        if (same) throw new SameRunError(place, same.run, same.count);
      }
      const all = JSON.stringify({ ...run.options, ...options });
      await transaction.query(SEAL, { run: id, digest, options: all, rows: count });
      try {
        await transaction.end('COMMIT');
      } catch (error) {
        // The answer to the commit was lost: either the run exists, or the commit failed.
        return await sealed(id).catch(() => {
          throw error;
        });
      }
      return sealed(id);
    },

    discard: () => transaction.end('ROLLBACK'),
  };
}

const INSERT_RUN = `INSERT INTO lectern.runs ${values(parameters(NEW_RUN))} RETURNING id`;
const SEAL =
  'UPDATE lectern.runs SET digest = :digest, options = :options, rows = :rows WHERE id = :run';

/** Adds rows to a run that is being filled. */
export async function insertRows(
  transaction: Transaction,
  run: number,
  rows: readonly PlannedRecord[],
): Promise<void> {
  const lines = rows.map(({ line, member, body }) => ({ line, member, body }));
  await transaction.query(INSERT_ROWS, { run, rows: jsonRows(lines) });
}

const INSERT_ROWS = `
  INSERT INTO lectern.run_rows ${select({ run: ':run', ...columnsOf('given', ROW) })}
  FROM ${givenRows(':rows', ROW)}`;

/** The advisory lock that is held while a run is sealed; its second key is the URL. */
const LOCK_CLASS = 0x6c656378;
