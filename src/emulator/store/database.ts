import { closeSync, openSync, readSync } from 'node:fs';
import { READ_FLAGS } from '../../disk/plain-file.ts';
import { Database } from '../../sqlite/database.ts';

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

/** Opens the database of a store and creates or migrates its tables. It throws `StoreError`, for each later read too. */
export function openStoreDatabase(path: string): Database {
  const database = new Database(path, { errorOf: unreadableStore });
  try {
    // Checked before anything is changed, so that a file of another program is not touched.
    const migration = migrationOf(database);
    // Before the log is used, so that a killed process leaves the mark in the file itself.
    database.execute(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.useLog({ checkpointPages: CHECKPOINT_PAGES });
    database.execute(migration);
    return database;
  } catch (cause) {
    database.close();
    if (cause instanceof StoreError && cause.cause === undefined) throw cause;
    throw new StoreError(`${path} cannot be read: ${causeText(cause)}`, { cause });
  }
}

/** Marks a store among SQLite files: "LCTN". */
const APPLICATION_ID = 0x4c_43_54_4e;
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
  if (file.readUInt32BE(APPLICATION_ID_OFFSET) === APPLICATION_ID) return true;
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

/** The prepared statements of a store. */
export const STATEMENTS = {
  putRecord: 'INSERT INTO records VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET json = excluded.json',
  deleteRecord: 'DELETE FROM records WHERE collection = ? AND id = ?',
  // In the order of insertion, so that "the first" is the same after a restart.
  records: 'SELECT id, json FROM records WHERE collection = ? ORDER BY rowid',
  getRow: 'SELECT body FROM rows WHERE key = ?',
  putRow: 'INSERT INTO rows VALUES (?, ?) ON CONFLICT DO UPDATE SET body = excluded.body',
  putAttempt:
    'INSERT INTO attempts (location, member, submitted, json, payload) VALUES (?, ?, ?, ?, ?)',
};

/** One entry per version of the tables, applied in order; an entry that was released is never edited. */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE records (
    collection TEXT NOT NULL, id TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (collection, id)
  );
  CREATE TABLE rows (key TEXT PRIMARY KEY, body BLOB NOT NULL);
  CREATE TABLE attempts (
    sequence INTEGER PRIMARY KEY, location TEXT NOT NULL, member TEXT NOT NULL,
    submitted INTEGER NOT NULL, json TEXT NOT NULL, payload TEXT NOT NULL
  );
  CREATE INDEX attempts_of_member ON attempts (location, member, submitted);
  `,
];

const CURRENT = MIGRATIONS.length;

/** The first stores have no version, and most have the gradebook among the records. */
const FROM_RESULTS = `
  DROP INDEX attempts_of_member;
  ALTER TABLE records RENAME TO first_records;
  ALTER TABLE attempts RENAME TO first_attempts;
  ALTER TABLE rows RENAME TO first_rows;
  ${MIGRATIONS[0]}
  INSERT INTO records SELECT collection, id, json FROM first_records WHERE collection <> 'results';
  INSERT INTO rows SELECT key, body FROM first_rows;
  INSERT INTO attempts
    SELECT sequence, location, member, submitted, attempt.json,
      CASE WHEN attempt.json ->> 'status' = 'success' AND result.json IS NOT NULL THEN
        json_set(result.json -> 'payload',
          '$.scoreGiven', (attempt.json ->> 'score') * (result.json ->> '$.payload.scoreMaximum'),
          '$.comment', attempt.json ->> '$.data.comment',
          '$.activityProgress', attempt.json ->> 'activity_progress',
          '$.gradingProgress', attempt.json ->> 'grading_progress',
          '$.timestamp', attempt.json ->> 'submitted')
      ELSE '' END
    FROM first_attempts AS attempt LEFT JOIN first_records AS result
      ON result.collection = 'results' AND result.id = location || '/' || member;
  DROP TABLE first_records;
  DROP TABLE first_attempts;
  DROP TABLE first_rows;
`;

/**
 * The SQL that creates the tables, or updates those of an older version, in one transaction; '' if
 * they have this version. Throws `StoreError` for a store of a newer lectern.
 */
function migrationOf(database: Database): string {
  const version = Number(database.value('PRAGMA user_version'));
  if (version === CURRENT) return '';
  if (version > CURRENT) {
    const versions = `version ${version}, this one knows ${CURRENT}`;
    throw new StoreError(
      `${database.file} was written by a newer lectern (${versions}): update lectern`,
    );
  }
  const steps = version === 0 ? stepsToFirst(database) : [];
  const sql = [...steps, ...MIGRATIONS.slice(Math.max(version, 1))].join('');
  return `BEGIN IMMEDIATE; ${sql} PRAGMA user_version = ${CURRENT}; COMMIT`;
}

/** From no tables, or those of the first stores, to the first version. */
function stepsToFirst(database: Database): readonly string[] {
  if (database.value('SELECT count(*) FROM sqlite_schema') === 0) return MIGRATIONS.slice(0, 1);
  const columns = database.all<{ name: string }>("SELECT name FROM pragma_table_info('attempts')");
  return columns.some(({ name }) => name === 'payload') ? [] : [FROM_RESULTS];
}
