import { untilTurnsEnd } from '../clock.ts';
import type { Database } from './database.ts';
import { sqliteFaultOf } from './error.ts';

interface Waiting {
  readonly work: () => unknown;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
  /** The only copy of the result: an interrupt does not end its wait. */
  readonly isOutcome: boolean;
  /** The result of `work`, reported once it is on disk. */
  result: unknown;
}

/**
 * Group commit. The disk takes as long for one write as for a thousand, so all writes that are asked for
 * together share a commit (see `untilTurnsEnd`), and their promises resolve when that is on disk.
 */
export class GroupCommit {
  readonly #database: Database;
  readonly #forget: () => void;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;

  /** @param forget called after a rollback, to clear caches */
  constructor(database: Database, forget: () => void) {
    this.#database = database;
    this.#forget = forget;
  }

  /**
   * Runs `work` in the next commit. It may run twice, if the first transaction is rolled back, so it
   * must do nothing but write to the database. An interrupt ends the wait for the lock of another
   * process.
   */
  write<Result>(work: () => Result): Promise<Result> {
    return this.#add(work, false);
  }

  /** The same for the only copy of a result: an interrupt does not end the wait for the lock. */
  writeOutcome<Result>(work: () => Result): Promise<Result> {
    return this.#add(work, true);
  }

  #add<Result>(work: () => Result, isOutcome: boolean): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject, isOutcome, result: undefined });
      this.#writing ??= this.#writeAll();
    });
  }

  /** Resolves when all writes are done. */
  async drain(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await untilTurnsEnd();
      await this.#commit(this.#waiting.splice(0));
    }
    this.#writing = undefined;
  }

  async #commit(group: readonly Waiting[]): Promise<void> {
    try {
      await this.#database.transaction(
        () => {
          for (const waiting of group) waiting.result = waiting.work();
        },
        () => group.some(({ isOutcome }) => !isOutcome),
      );
      // Commits to a file that no longer exists are lost.
      this.#database.checkFiles();
      for (const { resolve, result } of group) resolve(result as never);
    } catch (error) {
      this.#forget();
      const fault = sqliteFaultOf(error);
      if (fault === 'interrupted') await this.#commitOutcomes(group, error);
      // Each would fail for the same reason, without a lock only after the whole timeout.
      else if (group.length === 1 || fault === 'busy' || fault === 'replaced') fail(group, error);
      // One invalid write must not fail the rest: each is tried again alone.
      else for (const each of group) await this.#commit([each]);
    }
  }

  async #commitOutcomes(group: readonly Waiting[], error: unknown): Promise<void> {
    const outcomes = group.filter(({ isOutcome }) => isOutcome);
    fail(
      group.filter(({ isOutcome }) => !isOutcome),
      error,
    );
    if (outcomes.length > 0) await this.#commit(outcomes);
  }
}

function fail(group: readonly Waiting[], error: unknown): void {
  for (const { reject } of group) reject(error);
}
