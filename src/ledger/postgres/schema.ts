import { LedgerError } from '../error.ts';
import type { Connection } from './connection.ts';
import { MIGRATIONS, SCHEMA_VERSION } from './migrations.ts';

/** Held while the schema is made or changed: "lect" in ASCII. */
const LOCK = 0x6c656374;

/** What stands in the database: a version, nothing, or a schema `lectern` of somebody else's. */
async function schemaVersion(connection: Connection): Promise<number | 'none' | 'foreign'> {
  const [found] = await connection.once<{ schema: boolean; meta: boolean }>(
    `SELECT to_regnamespace('lectern') IS NOT NULL AS schema,
       EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('lectern.meta')
         AND attname = 'schema_version') AS meta`,
  );
  if (!found?.schema) return 'none';
  if (!found.meta) return 'foreign';
  const [row] = await connection.once<{ schema_version: number }>(
    'SELECT schema_version FROM lectern.meta',
  );
  return row?.schema_version ?? 'foreign';
}

/** Throws `LedgerError` unless the database holds a ledger of this very version. */
export async function checkSchema(connection: Connection): Promise<void> {
  const version = await schemaVersion(connection);
  if (version === SCHEMA_VERSION) return;
  const versions = `schema ${version}, this one needs ${SCHEMA_VERSION}`;
  throw new LedgerError(
    'schema',
    connection.place,
    version === 'none'
      ? 'the database holds no ledger: lectern ledger init makes one'
      : version === 'foreign'
        ? 'the database has a schema named lectern that is not a ledger: use another database'
        : version < SCHEMA_VERSION
          ? `the ledger is older than this lectern (${versions}): lectern ledger migrate updates it`
          : `the ledger is newer than this lectern (${versions}): update lectern`,
  );
}

/**
 * Makes the schema, or brings an older one up to date; returns the version before. Each version is a
 * transaction; of several processes one does it.
 */
export async function migrate(connection: Connection): Promise<number | 'none'> {
  const before = await schemaVersion(connection);
  if (before === 'foreign') await checkSchema(connection);
  for (
    let version = before === 'none' ? 0 : Number(before);
    version < SCHEMA_VERSION;
    version += 1
  ) {
    const transaction = await connection.begin();
    try {
      await transaction.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
      const [row] = await transaction.query<{ made: boolean }>(MADE);
      const [meta] = row?.made
        ? await transaction.query<{ schema_version: number }>(
            'SELECT schema_version FROM lectern.meta',
          )
        : [];
      if ((meta?.schema_version ?? 0) === version) {
        await transaction.query(MIGRATIONS[version] ?? '');
        await transaction.query('UPDATE lectern.meta SET schema_version = $1', [version + 1]);
      }
      await transaction.end('COMMIT');
    } finally {
      await transaction.end('ROLLBACK');
    }
  }
  return before as number | 'none';
}

/** Read from the tables themselves: what a name stood for before the lock was had may be remembered. */
const MADE = `
  SELECT EXISTS (SELECT FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace
      ON pg_namespace.oid = relnamespace
    WHERE nspname = 'lectern' AND relname = 'meta') AS made`;

/** Throws `LedgerError` where the server could lose what it has acknowledged, or takes no writes. */
export async function checkServer(connection: Connection): Promise<void> {
  const [server] = await connection.once<{ standby: boolean; fsync: string; version: number }>(
    `SELECT pg_is_in_recovery() AS standby, current_setting('fsync') AS fsync,
       current_setting('server_version_num')::int AS version`,
  );
  if (!server) return;
  const refuse = (fault: 'readonly' | 'unsafe', words: string): never => {
    throw new LedgerError(fault, connection.place, words);
  };
  if (server.version < OLDEST_SERVER) {
    refuse('unsafe', 'the server is older than PostgreSQL 14: update it');
  }
  if (server.standby) {
    refuse('readonly', 'the server is a standby: give the address of the primary server');
  }
  if (server.fsync === 'off') {
    refuse('unsafe', 'the server does not write to its disk (fsync = off): turn fsync on');
  }
}

const OLDEST_SERVER = 140_000;
