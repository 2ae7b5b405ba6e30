import { runToColumns } from '../columns.ts';
import { SameRunError } from '../error.ts';
import type { GivenRun, PlannedRecord, RunLedger } from '../ledger.ts';
import { type AttemptReads, ledgerReader } from '../reader.ts';
import {
  countRows,
  rowsToStore,
  sameRows,
  type SameRows,
  settlementRows,
  settleRows,
  storeRows,
  storeRun,
} from '../run-sql.ts';
import { IS_ALIVE, RECOUNT } from './claim/claim-sql.ts';
import type { Worker } from './claim/pass.ts';
import { type Claim, type ClaimSettings, takeClaim } from './claim/claim.ts';
import { jsonRows, POSTGRES } from './columns.ts';
import type { Connection, Transaction } from './connection.ts';
import { isLost } from './error.ts';
import { lockRun } from './claim/pass.ts';

/** The runs of a ledger, and what it knows of those that this process sends. */
export interface PostgresRuns extends RunLedger, AttemptReads {
  /** The worker that sends a run in this process. */
  readonly workerOf: (run: number | undefined) => Worker | undefined;
  /** Throws if a failover has lost records of a claim. */
  readonly check: () => void;
  readonly close: () => Promise<void>;
}

/** Every bulk run of all machines, in the tables `runs` and `run_rows` (never changed). */
export function postgresRuns(connection: Connection, settings: ClaimSettings): PostgresRuns {
  const claims = new Map<number, Claim>();

  const { stored, record, ...reader } = ledgerReader(POSTGRES, {
    place: connection.place,
    countRows: COUNT_ROWS,
    read: (sql, values, { isShort = false } = {}) =>
      connection.query(sql, values, { long: !isShort }),
  });

  return {
    ...reader,

    workerOf: (run) => (run === undefined ? undefined : claims.get(run)?.worker),

    async now() {
      const [row] = await connection.query<{ now: number }>(NOW);
      return row?.now ?? 0;
    },

    async checkWritable() {
      await connection.query(INSERT_NOTHING);
    },

    async createRun(run, rows) {
      const { place } = connection;
      let id = 0;
      try {
        await connection.transaction(async (transaction) => {
          id = await putRun(transaction, run, rows);
          if (!run.compared) return;
          const { url } = run.target;
          // No other run for the URL is stored before this one.
          await transaction.lock(LOCK_CLASS, url);
          const asked = { run: id, url, compared: run.compared.map(String) };
          const [same] = await transaction.query<SameRows>(sameRows(POSTGRES), asked);
          if (same) throw new SameRunError(place, same.run, same.count);
        });
      } catch (error) {
        // If the answer to the commit was lost, the run may exist.
        if (id === 0 || !isLost(error)) throw error;
        return record(id).catch(() => {
          throw error;
        });
      }
      return record(id);
    },

    async claimRun(id, pid, wanted = {}) {
      const run = await stored(id);
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
      const run = id === undefined ? undefined : (await stored(id)).id;
      const settled = await connection.transaction(async (transaction) => {
        if (run !== undefined) await lockRun(transaction, connection.place, run);
        const sql = settleRows(POSTGRES, SETTLED, run);
        const rows = await transaction.query<{ row: number }>(sql, { ...given, run });
        if (run !== undefined) await transaction.query(RECOUNT, { run });
        return rows;
      });
      return [...new Set(settled.map(({ row }) => row))];
    },

    check() {
      for (const { failure } of claims.values()) if (failure) throw failure;
    },

    async close() {
      for (const claim of claims.values()) await claim.release();
    },
  };
}

const IS_UNDER_WAY = `outcome.attempt IS NULL AND settlement.id IS NULL AND attempts.worker IN (
  SELECT id FROM lectern.workers WHERE workers.run = :run AND ${IS_ALIVE})`;
export const COUNT_ROWS = countRows(POSTGRES, IS_UNDER_WAY);

const SETTLED = { who: `session_user || '@' || :host` };

const NOW = `SELECT ${POSTGRES.msOf('clock_timestamp()')} AS now`;

/** The rights are checked anyway. */
const INSERT_NOTHING = `INSERT INTO lectern.runs (source) SELECT '' WHERE false`;

/** Inserts a run with its rows; returns its number. */
export async function putRun(
  transaction: Transaction,
  run: GivenRun,
  pages: Iterable<readonly PlannedRecord[]> | AsyncIterable<readonly PlannedRecord[]>,
): Promise<number> {
  const [made] = await transaction.query<{ id: number }>(STORE_RUN, runToColumns(run));
  const id = made?.id ?? 0;
  for await (const page of pages) {
    await transaction.query(STORE_ROWS, { run: id, rows: jsonRows(rowsToStore(page)) });
  }
  return id;
}

const STORE_RUN = storeRun(POSTGRES);
const STORE_ROWS = storeRows(POSTGRES);

/** The advisory lock that is held while a run is stored; its second key is the URL. */
const LOCK_CLASS = 0x6c656378;
