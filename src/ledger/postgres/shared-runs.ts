import type { Overlap, SharedRuns, WorkerRecord } from '../ledger.ts';
import { textArray } from './arrays.ts';
import { IS_ALIVE, STOP } from './claim-sql.ts';
import type { Connection } from './connection.ts';
import { OPEN_RUN } from './drafts.ts';
import type { Outbox } from './outbox.ts';
import { ROW_STATE, ROWS } from './rows.ts';

/** What is known of the runs that several machines send. */
export function sharedRuns(connection: Connection, outbox: Outbox): SharedRuns {
  const workers = (run?: number): Promise<WorkerRecord[]> =>
    connection.query<WorkerRecord>(WORKERS, [run ?? null]);
  return {
    workers,
    now: async () => {
      const [row] = await connection.query<{ now: number }>(NOW);
      return row?.now ?? 0;
    },
    stopRun: async (run) => {
      await connection.query(STOP, [run]);
      return (await workers(run)).filter(({ isAlive }) => isAlive);
    },
    openRunOf: async (url, rowsDigest) => {
      const [row] = await connection.query<{ id: number }>(OPEN_RUN, [url, rowsDigest]);
      return row?.id;
    },
    overlaps: (url, members) =>
      connection.query<Overlap>(OVERLAPS, [url, textArray(members)], { long: true }),
    waiting: () => outbox.count(),
    awayMs: () => connection.awayMs,
  };
}

const NOW = 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now';

export const WORKERS = `
  SELECT id AS worker, run, who, host, sent, ${IS_ALIVE} AS "isAlive" FROM lectern.workers
  WHERE $1::bigint IS NULL OR run = $1 ORDER BY run, id`;

const OVERLAPS = `
  WITH open AS (
    SELECT id FROM lectern.runs
    WHERE NOT complete AND digest IS NOT NULL AND target ->> 'url' = $1
  )
  SELECT row.run, count(*) AS count FROM ${ROWS}
  WHERE row.member = ANY ($2::text[]) AND row.run IN (SELECT id FROM open)
    AND ${ROW_STATE} = 'not_sent'
  GROUP BY row.run ORDER BY row.run`;
