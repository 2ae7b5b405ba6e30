import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SqliteError, sqliteFaultOf } from './error.ts';
import { createPrivate } from './private-files.ts';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';

export interface LocksOptions {
  /** Converts an error before it is thrown; by default it is unchanged. */
  readonly errorOf?: (file: string, cause: unknown) => unknown;
  /** Every lock is given, without a file: nothing can be written. */
  readonly isReadOnly?: boolean;
}

/** Locks by name, each a file in a folder next to the file that they protect. */
export class Locks {
  readonly #folder: string;
  readonly #errorOf: (file: string, cause: unknown) => unknown;
  readonly #held = new Set<FileLock>();
  readonly #isReadOnly: boolean;

  constructor(
    file: string,
    { errorOf = (_, cause) => cause, isReadOnly = false }: LocksOptions = {},
  ) {
    this.#isReadOnly = isReadOnly;
    this.#folder = `${file}-locks`;
    this.#errorOf = errorOf;
  }

  /** Acquires a lock; undefined if anyone has it. */
  take(name: string): FileLock | undefined {
    if (this.#isReadOnly) return { release: () => {} };
    const file = join(this.#folder, name);
    try {
      createPrivate(file);
      const lock = lockFile(file);
      if (lock) this.#held.add(lock);
      return lock && { release: () => this.#release(lock) };
    } catch (error) {
      throw this.#errorOf(file, error);
    }
  }

  /** Acquires a lock; waits for `waitMs` while it is held. */
  async wait(name: string, waitMs: number): Promise<FileLock> {
    const attempt = (): FileLock => {
      const lock = this.take(name);
      if (lock) return lock;
      throw new SqliteError('busy', 'another process keeps a lock');
    };
    try {
      return await whileBusy(waitMs, attempt, { patience: {} });
    } catch (error) {
      throw this.#errorOf(join(this.#folder, name), error);
    }
  }

  releaseAll(): void {
    for (const lock of this.#held) lock.release();
    this.#held.clear();
  }

  #release(lock: FileLock): void {
    this.#held.delete(lock);
    lock.release();
  }
}

/** A lock on a file, which the operating system releases when the process ends in any way. */
export interface FileLock {
  release(): void;
}

/**
 * Acquires a lock on an existing empty file; undefined if another process has it. It is an SQLite
 * lock, which works the same on every system and can never be stale. The file must stay: deleting it
 * could delete a lock that another process has just acquired. Throws SQLite's errors.
 */
export function lockFile(path: string): FileLock | undefined {
  let connection: DatabaseSyncInstance | undefined;
  try {
    connection = new DatabaseSync(path, { timeout: 0 });
    // Nothing is ever written: a journal would only be one more file.
    connection.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
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

const MAX_PAUSE_MS = 20;
/** A write usually takes milliseconds: a longer wait is reported. */
const REPORT_AFTER_MS = 1000;

/** How a wait for another process can be interrupted and reported. */
export interface Patience {
  /** Aborts when the user interrupts: waits that only begin something then end. */
  readonly signal?: AbortSignal | undefined;
  /** Called once in each wait of more than a second, or that continues after an interrupt. */
  readonly onWait?: (() => void) | undefined;
}

interface WaitOptions {
  readonly patience: Patience;
  /** False if the first try has had an effect. */
  readonly mayTryAgain?: () => boolean;
  /** False if the wait continues after an interrupt. */
  readonly mayGiveUp?: () => boolean;
}

/**
 * Tries again for `waitMs` while another process has a lock. SQLite itself would block the whole
 * process: no deadline would pass, and no signal would be handled.
 *
 * @throws {SqliteError} `interrupted` at an interrupt, if `mayGiveUp`; what is busy after `waitMs`
 */
export async function whileBusy<Result>(
  waitMs: number,
  attempt: () => Result,
  { patience, mayTryAgain = () => true, mayGiveUp = () => true }: WaitOptions,
): Promise<Result> {
  const { signal, onWait } = patience;
  const started = performance.now();
  let isReported = false;
  for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    try {
      return attempt();
    } catch (error) {
      const waitedMs = performance.now() - started;
      if (sqliteFaultOf(error) !== 'busy' || !mayTryAgain() || waitedMs > waitMs) throw error;
      if (signal?.aborted && mayGiveUp()) {
        throw new SqliteError('interrupted', 'interrupted while waiting for a lock', {
          cause: error,
        });
      }
      if (!isReported && (signal?.aborted || waitedMs > REPORT_AFTER_MS)) {
        isReported = true;
        onWait?.();
      }
    }
    await sleep(pauseMs);
  }
}
