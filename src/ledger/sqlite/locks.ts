import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { join } from 'node:path';
import { LedgerError } from '../error.ts';
import { type Patience, whileBusy } from './busy.ts';
import { ledgerError } from './error.ts';
import { createPrivate } from './private-files.ts';

/** How long to wait for a sweep of dead drafts, a million rows at worst. */
const SHARE_WAIT_MS = 30_000;

/** A lock that the operating system lets go of when the process ends, however it ends. */
export interface Lock {
  release(): void;
}

/**
 * The locks of one ledger, each a file in the folder beside it. A lock is SQLite's own, on an empty
 * database: that works alike on every system. The files stay, since a process that deletes a lock
 * file may delete the one that another has just taken.
 */
export class Locks {
  readonly #folder: string;
  readonly #patience: Patience;
  readonly #held = new Set<DatabaseSyncInstance>();

  constructor(ledgerFile: string, patience: Patience = {}) {
    this.#folder = `${ledgerFile}-locks`;
    this.#patience = patience;
  }

  /** Takes a lock alone, or says undefined when anyone has it. */
  take(name: string): Lock | undefined {
    return this.#lock(name, 'BEGIN EXCLUSIVE');
  }

  /** Takes a lock that others may share, once nobody has it alone. */
  share(name: string): Promise<Lock> {
    const attempt = (): Lock => {
      const lock = this.#lock(name, 'BEGIN');
      if (lock) return lock;
      throw new LedgerError('busy', join(this.#folder, name), 'another process holds on to a lock');
    };
    return whileBusy(SHARE_WAIT_MS, attempt, { patience: this.#patience });
  }

  releaseAll(): void {
    for (const connection of this.#held) letGo(connection);
    this.#held.clear();
  }

  #lock(name: string, begin: string): Lock | undefined {
    const connection = openLocked(join(this.#folder, name), begin);
    if (!connection) return undefined;
    this.#held.add(connection);
    return {
      release: () => {
        if (this.#held.delete(connection)) letGo(connection);
      },
    };
  }
}

function openLocked(file: string, begin: string): DatabaseSyncInstance | undefined {
  let connection: DatabaseSyncInstance | undefined;
  try {
    createPrivate(file);
    connection = new DatabaseSync(file, { timeout: 0 });
    // Nothing is ever written: a journal would only be one more file.
    connection.exec(`PRAGMA journal_mode = MEMORY; ${begin}`);
    // The lock, the shared one too, is had by reading and kept until the transaction ends. No
    // prepared statement: one that outlives the connection's closing keeps the lock.
    connection.exec('SELECT count(*) FROM sqlite_schema');
    return connection;
  } catch (error) {
    connection?.close();
    const told = ledgerError(file, error);
    if (told.fault === 'busy') return undefined;
    throw told;
  }
}

function letGo(connection: DatabaseSyncInstance): void {
  connection.exec('ROLLBACK');
  connection.close();
}
