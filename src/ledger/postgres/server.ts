import type { Clock } from '../../ports.ts';
import { IS_SENT_AGAIN, joinKnown, madeAt, stateOf, stillInDoubt } from '../attempt-sql.ts';
import { LedgerError } from '../error.ts';
import type { GradeLedger, Ledger } from '../ledger.ts';
import { postgresTargets, type PostgresTargets } from './targets.ts';
import { IS_ALIVE } from './claim/claim-sql.ts';
import { POSTGRES } from './columns.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { importLedger, type ImportOptions } from './import.ts';
import { addAttempts } from './put.ts';
import { doubtLost } from './claim/pass.ts';
import { postgresRuns } from './runs.ts';
import {
  type SchemaChange,
  checkLedger,
  checkSchema,
  checkServer,
  initSchema,
  migrateSchema,
  rolesSql,
} from './schema/schema.ts';
import { ledgerStatus, sharedRuns } from './status.ts';
import { AttemptWriter, type OwnAnswers } from './writer.ts';

/** How long a ledger waits for a server that is away, by default. */
const PATIENCE_MS = 60_000;

export interface SharedLedgerOptions extends Omit<ConnectionOptions, 'clock' | 'patienceMs'> {
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly patienceMs?: number | undefined;
  /** The ledger of this machine, which has each answer before the server is given it. */
  readonly local: () => Promise<Ledger>;
  /** The name of this machine, shown to other workers. */
  readonly host: string;
}

/**
 * Opens a team's ledger in PostgreSQL, in its schema `lectern`, which any number of machines can
 * share. Answers that are in the local ledger since the server was away are delivered first,
 * and what a failover may have lost is marked as in doubt. Throws `LedgerError` if the server, the
 * login or the schema cannot be used.
 */
export async function openSharedLedger(options: SharedLedgerOptions): Promise<GradeLedger> {
  const { clock, local, host, patienceMs = PATIENCE_MS } = options;
  const connection = new Connection({ ...options, patienceMs });
  try {
    await checkLedger(connection);
    const targets = postgresTargets(connection);
    const { workerOf, check, close, ...runs } = postgresRuns(connection, { clock, host, targets });
    const own = { store: await local(), ledger: await ledgerId(connection) };
    const writer = new AttemptWriter(connection, own, targets, workerOf);
    await catchUp(connection, own, targets);
    return {
      intend: (intent) => writer.intend(intent),
      storeOutcome: (attempt, outcome, whose) => writer.storeOutcome(attempt, outcome, whose),
      withdraw: (attempt) => writer.withdraw(attempt),
      ...runs,
      shared: sharedRuns(connection, () => own.store.countAnswers(own.ledger)),
      check: async () => {
        await checkSchema(connection);
        check();
      },
      close: async () => {
        try {
          await writer.close();
          await close();
        } finally {
          await connection.close();
        }
      },
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** An ID that a copy by dump or template does not share: it must not get the answers of the original. */
async function ledgerId(connection: Connection): Promise<string> {
  const [row] = await connection.query<{ ledger: string }>(LEDGER_ID, {}, { retries: false });
  return row?.ledger ?? '';
}

const LEDGER_ID = `
  SELECT concat_ws(' ', meta.ledger, system_identifier, pg_database.oid, datname) AS ledger
  FROM lectern.meta, pg_control_system(), pg_database WHERE datname = current_database()`;

/**
 * Delivers answers that the local ledger has, and puts in doubt what a failover may have lost. A server
 * that takes no writes of this login, or none at the moment, is asked again by the next command.
 */
async function catchUp(
  connection: Connection,
  { store, ledger }: OwnAnswers,
  targets: PostgresTargets,
): Promise<void> {
  try {
    // Once: a worker of this machine may add to them as it sends.
    const answers = await store.answersFor(ledger);
    if (answers.length > 0) {
      await addAttempts(connection, targets, answers);
      await store.dropAnswers(answers.map(({ token }) => token));
    }
    await doubtLost(connection);
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
  }
}

/** A PostgreSQL database with a ledger, or for one. All errors are `LedgerError`s. */
export type LedgerServer = ReturnType<typeof ledgerServer>;

/** Connects on first use. */
export function ledgerServer(options: SharedLedgerOptions) {
  const { patienceMs = PATIENCE_MS } = options;
  let connection: Connection | undefined;
  let ledger: Promise<GradeLedger> | undefined;
  const connect = (): Connection => (connection ??= new Connection({ ...options, patienceMs }));
  const change = async (work: (to: Connection) => Promise<SchemaChange>): Promise<SchemaChange> => {
    await checkServer(connect());
    return work(connect());
  };
  return {
    /** The server and database, without user and password. */
    place: options.address.shown,
    /** The ledger, opened at the first call. */
    open: (): Promise<GradeLedger> => (ledger ??= openSharedLedger(options)),
    /** Creates the schema; `sql` is for the administrator of the database: the roles and their rights. */
    init: async () => ({
      ...(await change(initSchema)),
      sql: await rolesSql(options.address.database),
    }),
    migrate: () => change(migrateSchema),
    status: () => ledgerStatus(connect()),
    prune: (chosen: PruneOptions) => prune(connect(), chosen),
    importFrom: (local: Ledger, chosen: ImportOptions) => importLedger(connect(), local, chosen),
    close: async (): Promise<void> => {
      await (await ledger?.catch(() => undefined))?.close();
      await connection?.close();
    },
  };
}

interface PruneOptions {
  /** The minimum age in milliseconds. */
  readonly olderThan: number;
  /** Of one run alone. */
  readonly run?: number | undefined;
  readonly dryRun?: boolean | undefined;
}

/**
 * Removes old attempts, and old runs as a whole. It keeps the newest success of each member at each
 * address, everything in doubt, each run that was not sent completely, with all its attempts, and
 * each attempt for which one of these is not in doubt. So no row can look as if it was never sent.
 */
async function prune(connection: Connection, options: PruneOptions) {
  await checkLedger(connection);
  return connection.transaction(async (transaction) => {
    // Rows that are added meanwhile are too new to be removed.
    await transaction.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    const { olderThan, run = null, dryRun = false } = options;
    await transaction.query(OLD_RUNS, { olderThan, run });
    await transaction.query(OLD_ATTEMPTS, { olderThan, run });
    await transaction.query('CREATE INDEX ON old_attempts (id)');
    await transaction.query(KEEP_SENT_AGAIN);
    const [counted] = await transaction.query<{ runs: number; attempts: number }>(
      'SELECT (SELECT count(*) FROM old_runs) AS runs, (SELECT count(*) FROM old_attempts) AS attempts',
    );
    for (const sql of dryRun ? [] : REMOVALS) await transaction.query(sql);
    return counted ?? { runs: 0, attempts: 0 };
  });
}

const CUTOFF = `clock_timestamp() - :olderThan * interval '1 millisecond'`;

/** Runs that were sent completely, with nothing still in doubt and no recent attempts. */
const OLD_RUNS = `
  CREATE TEMPORARY TABLE old_runs ON COMMIT DROP AS
  SELECT id FROM lectern.runs
  WHERE complete AND time < ${CUTOFF} AND (:run::bigint IS NULL OR id = :run)
    AND NOT EXISTS (SELECT FROM lectern.workers WHERE workers.run = runs.id AND ${IS_ALIVE})
    AND NOT EXISTS (SELECT FROM lectern.attempts
      ${joinKnown(POSTGRES)}
      WHERE attempts.run = runs.id
        AND (attempts.time >= ${CUTOFF} OR ${stillInDoubt(POSTGRES)}))`;

const OLD_ATTEMPTS = `
  CREATE TEMPORARY TABLE old_attempts ON COMMIT DROP AS
  SELECT attempts.id FROM lectern.attempts ${joinKnown(POSTGRES)}
  WHERE attempts.time < ${CUTOFF} AND NOT (${stillInDoubt(POSTGRES)})
    AND CASE WHEN attempts.run IS NULL THEN :run::bigint IS NULL
      ELSE attempts.run IN (SELECT id FROM old_runs)
        OR (:run IS NULL OR attempts.run = :run)
          AND NOT EXISTS (SELECT FROM lectern.runs WHERE runs.id = attempts.run) END
    AND NOT (${stateOf()} = 'success' AND NOT EXISTS (
      SELECT FROM lectern.attempts AS later_attempts ${joinKnown(POSTGRES, 'later_')}
      WHERE later_attempts.member = attempts.member AND later_attempts.target = attempts.target
        AND ${madeAt('later_')} > ${madeAt()} AND ${stateOf('later_')} = 'success'))`;

/** Without these, attempts that are kept would be in doubt again. */
const KEEP_SENT_AGAIN = `
  DELETE FROM old_attempts WHERE id IN (
    SELECT later_attempts.id FROM lectern.attempts ${joinKnown(POSTGRES)}
      CROSS JOIN lectern.attempts AS later_attempts ${joinKnown(POSTGRES, 'later_')}
    WHERE ${stateOf()} = 'in_doubt' AND ${IS_SENT_AGAIN}
      AND NOT EXISTS (SELECT FROM old_attempts AS old WHERE old.id = attempts.id))`;

const REMOVALS = [
  'DELETE FROM lectern.settlements WHERE attempt IN (SELECT id FROM old_attempts)',
  'DELETE FROM lectern.outcomes WHERE attempt IN (SELECT id FROM old_attempts)',
  'DELETE FROM lectern.attempts WHERE id IN (SELECT id FROM old_attempts)',
  ...['run_rows', 'passes', 'workers'].map(
    (table) => `DELETE FROM lectern.${table} WHERE run IN (SELECT id FROM old_runs)`,
  ),
  'DELETE FROM lectern.runs WHERE id IN (SELECT id FROM old_runs)',
];
