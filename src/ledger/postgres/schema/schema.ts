import { LedgerError, type LedgerFault } from '../../error.ts';
import type { Connection } from '../connection.ts';

/** Each change of `ledger.sql` adds one. Only `ledger init` and `ledger migrate` run it. */
export const SHARED_SCHEMA_VERSION = 7;

const RIGHTS = '-- rights\n';

/**
 * SQL that creates missing roles, gives the schema to its owner role, and grants the rights. It can
 * be run again. `database` is the name of the ledger's database.
 */
export async function rolesSql(database: string): Promise<string> {
  const { default: sql } = await import('./roles.sql?raw');
  const quoted = `"${database.replaceAll('"', '""')}"`;
  return sql.replace(':"database"', () => quoted).replace(RIGHTS, '');
}

/** The rights of a worker and a reader: a worker can neither change nor delete an attempt. */
async function rightsSql(): Promise<string> {
  return (await import('./roles.sql?raw')).default.split(RIGHTS)[1] ?? '';
}

/** Held while the schema is created or changed: "lect" in ASCII. */
const LOCK = 0x6c656374;

/** A server that is away is reported at once. */
const ONCE = { retries: false } as const;

/** The version of the schema; `foreign` if `lectern` is not a ledger. */
type Version = number | 'none' | 'foreign';

async function schemaVersion(connection: Connection): Promise<Version> {
  const [found] = await connection.query<{ schema: boolean; meta: boolean }>(
    `SELECT to_regnamespace('lectern') IS NOT NULL AS schema,
       EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('lectern.meta')
         AND attname = 'schema_version') AS meta`,
    {},
    ONCE,
  );
  if (!found?.schema) return 'none';
  if (!found.meta) return 'foreign';
  const [row] = await connection.query<{ schema_version: number }>(
    'SELECT schema_version FROM lectern.meta',
    {},
    ONCE,
  );
  return row?.schema_version ?? 'foreign';
}

/** Throws `LedgerError` unless the server is safe and its database holds a ledger of this version. */
export async function checkLedger(connection: Connection): Promise<void> {
  await checkServer(connection);
  await checkSchema(connection);
}

/** Throws `LedgerError` unless the database holds a ledger of exactly this version. */
export async function checkSchema(connection: Connection): Promise<void> {
  refuseOther(connection, await schemaVersion(connection));
}

function refuseOther(connection: Connection, version: Version): void {
  if (version === SHARED_SCHEMA_VERSION) return;
  const versions = `schema ${version}, this one needs ${SHARED_SCHEMA_VERSION}`;
  throw new LedgerError(
    'schema',
    connection.place,
    version === 'none'
      ? 'the database has no ledger: lectern ledger init creates one'
      : version === 'foreign'
        ? 'the database has a schema named lectern that is not a ledger: use another database'
        : version < SHARED_SCHEMA_VERSION
          ? `the ledger is older than this lectern (${versions}): lectern ledger migrate updates it`
          : `the ledger is newer than this lectern (${versions}): update lectern`,
  );
}

/** The versions before and after a change. */
export interface SchemaChange {
  readonly before: number | 'none';
  readonly version: number;
}

/** Creates the schema if there is none; an existing one must have this version. */
export function initSchema(connection: Connection): Promise<SchemaChange> {
  return changeSchema(connection, (before) => before === 'none');
}

/** Updates an older schema; does not create one. */
export function migrateSchema(connection: Connection): Promise<SchemaChange> {
  const isOlder = (before: Version) => typeof before === 'number' && before < SHARED_SCHEMA_VERSION;
  return changeSchema(connection, isOlder);
}

async function changeSchema(
  connection: Connection,
  mayChange: (before: Version) => boolean,
): Promise<SchemaChange> {
  const before = await schemaVersion(connection);
  if (mayChange(before)) await migrate(connection, before);
  else refuseOther(connection, before);
  return { before: before as number | 'none', version: SHARED_SCHEMA_VERSION };
}

/** In one transaction, one process after another: each can run the SQL again. */
async function migrate(connection: Connection, before: Version): Promise<void> {
  const { default: sql } = await import('./ledger.sql?raw');
  await connection.transaction(async (transaction) => {
    await transaction.query('SELECT pg_advisory_xact_lock(:lock)', { lock: LOCK });
    await transaction.query(AS_OWNER);
    // An owner of the schema needs no right to make another one.
    if (before === 'none') await transaction.query('CREATE SCHEMA IF NOT EXISTS lectern');
    await transaction.query(sql);
    const set = 'UPDATE lectern.meta SET schema_version = greatest(schema_version, :version)';
    await transaction.query(set, { version: SHARED_SCHEMA_VERSION });
    // Roles keep their rights, also on new tables.
    const [found] = await transaction.query<{ granted: boolean }>(HAS_ROLES);
    if (found?.granted) await transaction.query(await rightsSql());
  });
}

/** Whether the roles have rights here, so that a migration has to extend them to new tables. */
const HAS_ROLES = `
  SELECT count(*) = 2 AS granted FROM pg_roles
  WHERE rolname IN ('lectern_worker', 'lectern_reader')
    AND has_schema_privilege(rolname, 'lectern', 'USAGE')`;

/** New tables belong to the owner of the schema, whichever of its members runs the migration. */
const AS_OWNER = `
  SELECT set_config('role', pg_get_userbyid(nspowner), true) FROM pg_namespace
  WHERE nspname = 'lectern' AND pg_get_userbyid(nspowner) <> current_user`;

/** Throws `LedgerError` if the server could lose acknowledged writes, or is read-only. */
export async function checkServer(connection: Connection): Promise<void> {
  const [server] = await connection.query<{
    standby: boolean;
    fsync: string;
    version: number;
    readonly: boolean;
    encoding: string;
  }>(
    `SELECT pg_is_in_recovery() AS standby, current_setting('fsync') AS fsync,
       current_setting('transaction_read_only')::bool AS readonly,
       current_setting('server_version_num')::int AS version,
       current_setting('server_encoding') AS encoding`,
    {},
    ONCE,
  );
  if (!server) return;
  const { version, encoding, standby, readonly, fsync } = server;
  const utf8 = "make one with CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8'";
  const primary = 'give the address of the primary server';
  const checks: readonly [isWrong: boolean, fault: LedgerFault, message: string][] = [
    [version < OLDEST_SERVER, 'unsafe', 'the server is older than PostgreSQL 14: update it'],
    // A response that cannot be stored would come only after the grade was recorded.
    [
      encoding !== 'UTF8',
      'unsafe',
      `the encoding of the database is ${encoding}, not UTF8: ${utf8}`,
    ],
    [standby, 'readonly', `the server is a standby: ${primary}`],
    [
      readonly,
      'readonly',
      `the server takes no writes (default_transaction_read_only): ${primary}, or let the login write`,
    ],
    [
      fsync === 'off',
      'unsafe',
      'the server does not write to its disk (fsync = off): turn fsync on',
    ],
  ];
  const wrong = checks.find(([isWrong]) => isWrong);
  if (wrong) throw new LedgerError(wrong[1], connection.place, wrong[2]);
}

const OLDEST_SERVER = 140_000;
