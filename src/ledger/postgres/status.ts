import type { SharedRuns, WorkerRecord } from '../ledger.ts';
import { joinKnown, stillInDoubt } from '../attempt-sql.ts';
import { IS_ALIVE, STOP } from './claim/claim-sql.ts';
import { POSTGRES } from './columns.ts';
import type { Connection } from './connection.ts';
import { checkLedger } from './schema/schema.ts';

/** A server that follows this one. */
export interface Standby {
  readonly name: string | null;
  /** `async`, `sync`, `quorum`, `potential`; null if this login may not see it. */
  readonly sync: string | null;
}

/** What `lectern ledger status` shows. */
export interface LedgerStatus {
  readonly place: string;
  readonly schema: number;
  /** The version of PostgreSQL, such as `18.1`. */
  readonly server: string;
  readonly login: string;
  /** The version of TLS; null without. */
  readonly tls: string | null;
  /** The rights of this login: to store attempts, and to change the schema. */
  readonly mayWrite: boolean;
  readonly mayOwn: boolean;
  readonly runs: number;
  readonly openRuns: number;
  readonly attempts: number;
  /**
   * Attempts without a usable answer whose worker has ended, unless the same grade was sent again
   * with a known outcome.
   */
  readonly inDoubt: number;
  readonly workers: readonly WorkerRecord[];
  readonly standbys: readonly Standby[];
  /** Whether a commit waits for a standby. */
  readonly isSynchronous: boolean;
}

/** Reads the status of a ledger. Throws `LedgerError` if the server or the schema cannot be used. */
export async function ledgerStatus(connection: Connection): Promise<LedgerStatus> {
  await checkLedger(connection);
  const [facts] = await connection.query<Facts>(FACTS, undefined, { long: true });
  const all = await connection.query<WorkerRecord>(WORKERS, { run: null }, { long: true });
  const workers = all.filter(({ isAlive }) => isAlive);
  const standbys = await connection.query<Standby>(
    'SELECT application_name AS name, sync_state AS sync FROM pg_stat_replication ORDER BY 1',
  );
  return { place: connection.place, ...(facts as Facts), workers, standbys };
}

type Facts = Omit<LedgerStatus, 'place' | 'workers' | 'standbys'>;

const FACTS = `
  SELECT (SELECT schema_version FROM lectern.meta) AS schema,
    current_setting('server_version') AS server, session_user AS login,
    (SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS tls,
    has_table_privilege('lectern.attempts', 'INSERT') AS "mayWrite",
    has_table_privilege('lectern.attempts', 'DELETE') AS "mayOwn",
    (SELECT count(*) FROM lectern.runs) AS runs,
    (SELECT count(*) FROM lectern.runs WHERE NOT complete) AS "openRuns",
    (SELECT count(*) FROM lectern.attempts) AS attempts,
    (SELECT count(*) FROM lectern.attempts ${joinKnown(POSTGRES)}
      WHERE ${stillInDoubt(POSTGRES)}
        AND NOT (outcome.attempt IS NULL AND EXISTS (SELECT FROM lectern.workers
          WHERE workers.id = attempts.worker AND ${IS_ALIVE}))) AS "inDoubt",
    current_setting('synchronous_standby_names') <> ''
      AND current_setting('synchronous_commit') <> 'local' AS "isSynchronous"`;

/** Information about runs that several machines send. */
export function sharedRuns(connection: Connection, waiting: SharedRuns['waiting']): SharedRuns {
  const workers = (run?: number): Promise<WorkerRecord[]> =>
    connection.query<WorkerRecord>(WORKERS, { run: run ?? null }, { long: true });
  return {
    place: connection.place,
    workers,
    stopRun: async (run) => {
      await connection.query(STOP, { run });
      return (await workers(run)).filter(({ isAlive }) => isAlive);
    },
    waiting,
    awayMs: () => connection.awayMs,
  };
}

const WORKERS = `
  SELECT id AS worker, run, who, host, coalesce(answered.rows, 0) AS sent, ${IS_ALIVE} AS "isAlive"
  FROM lectern.workers LEFT JOIN (
    SELECT attempts.worker, count(DISTINCT line) AS rows
    FROM lectern.attempts JOIN lectern.outcomes ON outcomes.attempt = attempts.id
    WHERE state <> 'not_sent' AND (:run::bigint IS NULL OR attempts.run = :run)
    GROUP BY attempts.worker
  ) AS answered ON answered.worker = workers.id
  WHERE :run::bigint IS NULL OR run = :run ORDER BY run, id`;
