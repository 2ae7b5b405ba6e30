import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { ledgerError, resultCode } from './error.ts';
import { createPrivate } from './private-files.ts';

const BUSY = 5;

/** A lock that the operating system lets go of when the process ends, however it ends. */
export interface Lock {
  release(): void;
}

/**
 * Takes a lock, or says undefined when it is taken. It is SQLite's own lock on an empty database
 * file, which works alike on every system. The file stays: who deletes a lock file may delete the
 * one that another process has just taken.
 */
export function takeLock(
  file: string,
  kind: 'exclusive' | 'shared',
  waitMs: number,
): Lock | undefined {
  let connection: DatabaseSyncInstance | undefined;
  try {
    createPrivate(file);
    connection = new DatabaseSync(file, { timeout: waitMs });
    // A transaction keeps the lock of what it has read, or the exclusive one, until it ends.
    connection.exec(kind === 'exclusive' ? 'BEGIN EXCLUSIVE' : 'BEGIN');
    connection.prepare('SELECT count(*) FROM sqlite_schema').get();
  } catch (error) {
    connection?.close();
    if (resultCode(error) === BUSY) return undefined;
    throw ledgerError(file, error);
  }
  const taken = connection;
  return {
    release() {
      if (taken.isOpen) taken.close();
    },
  };
}
