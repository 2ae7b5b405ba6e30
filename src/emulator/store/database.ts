import { closeSync, openSync, readSync } from 'node:fs';
import { READ_FLAGS } from '../../disk/plain-file.ts';
import { Database } from '../../sqlite/database.ts';
import { FROM_1 } from './migrations.sql.ts';
import { STORE_SCHEMA } from './schema.sql.ts';

/** The state could not be read or written; the writes of that turn were rolled back. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

export function unreadableStore(cause: unknown): StoreError {
  return new StoreError(`the store could not be read: ${causeText(cause)}`, { cause });
}

/** The message of SQLite or the disk. */
export function causeText(error: unknown): string {
  return error instanceof StoreError && error.cause !== undefined
    ? causeText(error.cause)
    : (error as Error).message;
}

/** At 4 MB of log: a file system syncs a log that it overwrites faster than one that grows. */
const CHECKPOINT_PAGES = 1000;

/**
 * Opens the database of a store and creates its tables, or updates older ones. It throws `StoreError`,
 * for each later read too. `addBytes` adds the bytes of the files that an older store has in a folder.
 */
export function openStoreDatabase(
  path: string,
  addBytes: (database: Database) => void = () => {},
): Database {
  const database = new Database(path, { errorOf: unreadableStore });
  try {
    // Checked before anything is changed, so that a file of another program is not touched.
    const migration = migrationOf(database);
    // Before the log is used, so that a killed process leaves the mark in the file itself. In one
    // transaction, so that another process never sees the file without its mark.
    const marks = `PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = ${STORE_MARK}`;
    database.execute(`BEGIN; ${marks}; COMMIT`);
    database.useLog({ checkpointPages: CHECKPOINT_PAGES });
    if (migration !== '') migrate(database, migration, addBytes);
    return database;
  } catch (cause) {
    database.close();
    if (cause instanceof StoreError && cause.cause === undefined) throw cause;
    throw new StoreError(`${path} cannot be read: ${causeText(cause)}`, { cause });
  }
}

function migrate(database: Database, sql: string, addBytes: (database: Database) => void): void {
  const isNew = sql === STORE_SCHEMA;
  database.execute('BEGIN IMMEDIATE');
  database.execute(sql);
  if (!isNew) addBytes(database);
  database.execute(`PRAGMA user_version = ${STORE_VERSION}; COMMIT`);
  // An older store cannot give space back before this.
  if (!isNew) database.execute('PRAGMA auto_vacuum = INCREMENTAL; VACUUM');
}

/** Marks a store among SQLite files: "LCTN". */
export const STORE_MARK = 0x4c_43_54_4e;
/** The place of the mark in a SQLite file (https://www.sqlite.org/fileformat.html#application_id). */
const APPLICATION_ID_OFFSET = 68;
/** Older stores have no mark, but this index in their schema. */
const OLDER_INDEX = 'attempts_of_member';
/** The header and the schema, in a file and in its log. */
const HEAD_BYTES = 16_384;

/**
 * Whether a file is a store, of any version; undefined if it is empty or missing. It reads the bytes:
 * SQLite would create files beside the database of another program.
 */
export function isStore(path: string): boolean | undefined {
  const file = firstBytes(path);
  if (file.length === 0) return undefined;
  if (!file.toString('latin1').startsWith('SQLite format 3\0')) return false;
  if (file.readUInt32BE(APPLICATION_ID_OFFSET) === STORE_MARK) return true;
  return [file, firstBytes(`${path}-wal`)].some((bytes) => bytes.includes(OLDER_INDEX));
}

function firstBytes(path: string): Buffer {
  try {
    const bytes = Buffer.alloc(HEAD_BYTES);
    const file = openSync(path, READ_FLAGS);
    try {
      return bytes.subarray(0, readSync(file, bytes, 0, HEAD_BYTES, 0));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

/** The version of the tables in `schema.sql.ts`. */
export const STORE_VERSION = 4;

/**
 * The SQL that creates the tables, or updates those of an older version, for one transaction; '' if
 * they have this version. Throws `StoreError` for a store of a newer lectern.
 */
function migrationOf(database: Database): string {
  const version = Number(database.value('PRAGMA user_version'));
  if (version === STORE_VERSION) return '';
  if (version > STORE_VERSION) {
    const versions = `version ${version}, this one knows ${STORE_VERSION}`;
    throw new StoreError(
      `${database.file} was written by a newer lectern (${versions}): update lectern`,
    );
  }
  if (database.value('SELECT count(*) FROM sqlite_schema') === 0) return STORE_SCHEMA;
  if (version === 1) return FROM_1;
  throw new StoreError(
    `${database.file} was written by a lectern before 1.0.0: use another folder`,
  );
}
