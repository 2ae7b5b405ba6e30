import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { sqliteFaultOf } from './error.ts';

/** A lock on a file, which the operating system releases when the process ends in any way. */
export interface FileLock {
  release(): void;
}

/**
 * Acquires a lock on an existing empty file; undefined if another process has it. Any number of
 * processes can have a shared lock at the same time. It is an SQLite lock, which works the same on
 * every system and can never be stale. The file must stay: deleting it could delete a lock that
 * another process has just acquired. Throws SQLite's errors.
 */
export function lockFile(path: string, mode: 'exclusive' | 'shared'): FileLock | undefined {
  let connection: DatabaseSyncInstance | undefined;
  try {
    connection = new DatabaseSync(path, { timeout: 0 });
    // Nothing is ever written: a journal would only be one more file.
    const begin = mode === 'exclusive' ? 'BEGIN EXCLUSIVE' : 'BEGIN';
    connection.exec(`PRAGMA journal_mode = MEMORY; ${begin}`);
    // Reading acquires a shared lock until the transaction ends. No prepared statement: one that
    // outlives the connection keeps the lock.
    connection.exec('SELECT count(*) FROM sqlite_schema');
  } catch (error) {
    connection?.close();
    if (sqliteFaultOf(error) === 'busy') return undefined;
    throw error;
  }
  const locked = connection;
  return {
    release: () => {
      if (!locked.isOpen) return;
      locked.exec('ROLLBACK');
      locked.close();
    },
  };
}
