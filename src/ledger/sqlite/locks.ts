import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { join } from 'node:path';
import { LedgerError } from '../error.ts';
import { type Patience, whileBusy } from './busy.ts';
import { ledgerError } from './error.ts';
import { createPrivate } from './private-files.ts';

/** How long to wait while dead drafts are removed, a million rows at worst. */
const SHARE_WAIT_MS = 30_000;

/** A lock that the operating system releases when the process ends in any way. */
export interface Lock {
  release(): void;
}

/**
 * The locks of one ledger, each a file in a folder beside it: an SQLite lock on an empty database, which
 * works the same on every system. The files stay, since deleting one could delete a lock that another
 * process has just acquired.
 */
export class Locks {
  readonly #folder: string;
  readonly #patience: Patience;
  readonly #held = new Set<DatabaseSyncInstance>();

  constructor(ledgerFile: string, patience: Patience = {}) {
    this.#folder = `${ledgerFile}-locks`;
    this.#patience = patience;
  }

  /** Acquires an exclusive lock; undefined if anyone has it. */
  take(name: string): Lock | undefined {
    return this.#lock(name, 'BEGIN EXCLUSIVE');
  }

  /** Acquires a shared lock, waiting while anyone has it exclusively. */
  share(name: string): Promise<Lock> {
    const attempt = (): Lock => {
      const lock = this.#lock(name, 'BEGIN');
      if (lock) return lock;
      throw new LedgerError('busy', join(this.#folder, name), 'another process keeps a lock');
    };
    return whileBusy(SHARE_WAIT_MS, attempt, { patience: this.#patience });
  }

  releaseAll(): void {
    for (const connection of this.#held) release(connection);
    this.#held.clear();
  }

  #lock(name: string, begin: string): Lock | undefined {
    const connection = openLocked(join(this.#folder, name), begin);
    if (!connection) return undefined;
    this.#held.add(connection);
    return {
      release: () => {
        if (this.#held.delete(connection)) release(connection);
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
    // Reading acquires the lock until the transaction ends. No prepared statement: one that outlives
    // the connection keeps the lock.
    connection.exec('SELECT count(*) FROM sqlite_schema');
    return connection;
  } catch (error) {
    connection?.close();
    const converted = ledgerError(file, error);
    if (converted.fault === 'busy') return undefined;
    throw converted;
  }
}

function release(connection: DatabaseSyncInstance): void {
  connection.exec('ROLLBACK');
  connection.close();
}
