import { Database } from '../../sqlite/database.ts';
import { migrationOf } from './schema.ts';
import { causeText, StoreError, unreadableStore } from './store-error.ts';

/** At 4 MB of log: a file system syncs a log that it overwrites faster than one that grows. */
const CHECKPOINT_PAGES = 1000;

/** Opens the database of a store and creates or migrates its tables. It throws `StoreError`, for each later read too. */
export function openStoreDatabase(path: string): Database {
  const database = new Database(path, { errorOf: unreadableStore });
  try {
    // Checked before anything is changed, so that a file of another program is not touched.
    const migration = migrationOf(database);
    database.useLog({ checkpointPages: CHECKPOINT_PAGES });
    database.execute(migration);
    return database;
  } catch (cause) {
    database.close();
    if (cause instanceof StoreError && cause.cause === undefined) throw cause;
    throw new StoreError(`${path} cannot be read: ${causeText(cause)}`, { cause });
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
