import { join } from 'node:path';
import { type FileLock, lockFile } from '../../sqlite/file-lock.ts';
import { SqliteError } from '../../sqlite/error.ts';
import { type Patience, whileBusy } from '../../sqlite/while-busy.ts';
import { ledgerError } from './error.ts';
import { createPrivate } from './private-files.ts';

/** How long to wait while dead drafts are removed, a million rows at worst. */
const SHARE_WAIT_MS = 30_000;

/** The locks of one ledger, each a file in a folder beside it. */
export class Locks {
  readonly #folder: string;
  readonly #patience: Patience;
  readonly #held = new Set<FileLock>();

  constructor(ledgerFile: string, patience: Patience = {}) {
    this.#folder = `${ledgerFile}-locks`;
    this.#patience = patience;
  }

  /** Acquires an exclusive lock; undefined if anyone has it. */
  take(name: string): FileLock | undefined {
    return this.#lock(name, 'exclusive');
  }

  /** Acquires a shared lock, waiting while anyone has it exclusively. */
  async share(name: string): Promise<FileLock> {
    const attempt = (): FileLock => {
      const lock = this.#lock(name, 'shared');
      if (lock) return lock;
      throw new SqliteError('busy', 'another process keeps a lock');
    };
    try {
      return await whileBusy(SHARE_WAIT_MS, attempt, { patience: this.#patience });
    } catch (error) {
      throw ledgerError(join(this.#folder, name), error);
    }
  }

  releaseAll(): void {
    for (const lock of this.#held) lock.release();
    this.#held.clear();
  }

  #lock(name: string, mode: 'exclusive' | 'shared'): FileLock | undefined {
    const file = join(this.#folder, name);
    try {
      createPrivate(file);
      const lock = lockFile(file, mode);
      if (lock) this.#held.add(lock);
      return lock && { release: () => this.#release(lock) };
    } catch (error) {
      throw ledgerError(file, error);
    }
  }

  #release(lock: FileLock): void {
    this.#held.delete(lock);
    lock.release();
  }
}
