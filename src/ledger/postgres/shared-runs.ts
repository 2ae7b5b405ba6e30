import type { SharedRuns, WorkerRecord } from '../ledger.ts';
import { IS_ALIVE, STOP } from './claim-sql.ts';
import type { Connection } from './connection.ts';
import type { Outbox } from './outbox.ts';

/** What is known of the runs that several machines send. */
export function sharedRuns(connection: Connection, outbox: Outbox): SharedRuns {
  const workers = (run?: number): Promise<WorkerRecord[]> =>
    connection.query<WorkerRecord>(WORKERS, { run: run ?? null });
  return {
    workers,
    now: async () => {
      const [row] = await connection.query<{ now: number }>(NOW);
      return row?.now ?? 0;
    },
    stopRun: async (run) => {
      await connection.query(STOP, { run });
      return (await workers(run)).filter(({ isAlive }) => isAlive);
    },
    waiting: () => outbox.count(),
    awayMs: () => connection.awayMs,
  };
}

const NOW = 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now';

export const WORKERS = `
  SELECT id AS worker, run, who, host, sent, ${IS_ALIVE} AS "isAlive" FROM lectern.workers
  WHERE :run::bigint IS NULL OR run = :run ORDER BY run, id`;
