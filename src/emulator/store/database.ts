import { Database } from '../../sqlite/database.ts';
import { causeText, StoreError, unreadableStore } from './store-error.ts';

/** Increases with every change of the tables: data of another version is refused. */
const SCHEMA_VERSION = 1;

/** All or nothing: a process that is killed meanwhile leaves a new file, not one of an odd version. */
const SCHEMA = `
  BEGIN;
  CREATE TABLE IF NOT EXISTS records (
    collection TEXT NOT NULL, id TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (collection, id)
  );
  CREATE TABLE IF NOT EXISTS rows (key TEXT PRIMARY KEY, body BLOB NOT NULL);
  CREATE TABLE IF NOT EXISTS attempts (
    sequence INTEGER PRIMARY KEY, location TEXT NOT NULL, member TEXT NOT NULL,
    submitted INTEGER NOT NULL, json TEXT NOT NULL, payload TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS attempts_of_member ON attempts (location, member, submitted);
  PRAGMA user_version = ${SCHEMA_VERSION};
  COMMIT;
`;

/** At 4 MB of log: a file system syncs a log that it overwrites faster than one that grows. */
const CHECKPOINT_PAGES = 1000;

/** Opens the database of a store and creates its tables. It throws `StoreError`, for each later read too. */
export function openStoreDatabase(path: string): Database {
  const database = new Database(path, { errorOf: unreadableStore });
  try {
    const isNew = database.value('SELECT count(*) FROM sqlite_schema') === 0;
    if (!isNew && database.value('PRAGMA user_version') !== SCHEMA_VERSION) {
      throw new StoreError(`${path} was written by another version of lectern`);
    }
    database.useLog({ checkpointPages: CHECKPOINT_PAGES });
    if (isNew) database.execute(SCHEMA);
    return database;
  } catch (cause) {
    database.close();
    if (cause instanceof StoreError && cause.cause === undefined) throw cause;
    throw new StoreError(`${path} cannot be read: ${causeText(cause)}`, { cause });
  }
}

/** The statements of a store that are run again and again. */
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
