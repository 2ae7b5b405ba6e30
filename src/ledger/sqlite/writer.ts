import type { Database } from './database.ts';
import { collectWrites } from '../collect-writes.ts';
import { LedgerError } from '../error.ts';

interface Waiting {
  readonly work: () => unknown;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
  /** It tells what has happened, and is waited for at an interrupt, too. */
  readonly isOutcome: boolean;
  /** Of `work`, reported once it is on disk. */
  result: unknown;
}

/**
 * Group commit. The disk takes as long for one write as for a thousand, so all writes that arrive while
 * it is busy, or in two turns of the event loop, share a commit, and their promises resolve when that is
 * on disk.
 */
export class Writer {
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
   * must do nothing but write to the database. Given up at an interrupt, if another process has the
   * lock then.
   */
  write<Result>(work: () => Result): Promise<Result> {
    return this.#add(work, false);
  }

  /** The same for what is known nowhere else: an interrupt does not end the wait for the lock. */
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
      await collectWrites();
      const committed = await this.#commit(this.#waiting.splice(0));
      if (committed.length > 0) await this.#sync(committed);
    }
    this.#writing = undefined;
  }

  async #sync(committed: readonly Waiting[]): Promise<void> {
    try {
      await this.#database.sync();
      for (const { resolve, result } of committed) resolve(result as never);
    } catch (error) {
      for (const { reject } of committed) reject(error);
    }
  }

  /** Returns those that were committed; the others are rejected. */
  async #commit(group: readonly Waiting[]): Promise<readonly Waiting[]> {
    try {
      await this.#database.transaction(
        () => {
          for (const waiting of group) waiting.result = waiting.work();
        },
        () => group.some(({ isOutcome }) => !isOutcome),
      );
      return group;
    } catch (error) {
      this.#forget();
      const isInterrupted = error instanceof LedgerError && error.fault === 'interrupted';
      return await (isInterrupted
        ? this.#commitOutcomes(group, error)
        : this.#commitApart(group, error));
    }
  }

  async #commitOutcomes(group: readonly Waiting[], error: unknown): Promise<readonly Waiting[]> {
    for (const { isOutcome, reject } of group) if (!isOutcome) reject(error);
    const outcomes = group.filter(({ isOutcome }) => isOutcome);
    return outcomes.length > 0 ? this.#commit(outcomes) : [];
  }

  /** One bad write must not fail the others: each is tried again alone. */
  async #commitApart(group: readonly Waiting[], error: unknown): Promise<readonly Waiting[]> {
    // Without the lock, each would wait for the whole timeout again.
    const hopeless = error instanceof LedgerError && error.fault === 'busy';
    const committed: (readonly Waiting[])[] = [];
    if (group.length > 1 && !hopeless) {
      for (const each of group) committed.push(await this.#commit([each]));
    } else {
      for (const { reject } of group) reject(error);
    }
    return committed.flat();
  }
}
