import type { Database } from './database.ts';
import { LedgerError } from './error.ts';

interface Waiting {
  readonly work: () => unknown;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit. A commit waits for the disk, whether it carries one write or a thousand; so all
 * writes of one turn of the event loop share one, and their promises resolve after it.
 */
export class Writer {
  readonly #database: Database;
  readonly #forget: () => void;
  #waiting: Waiting[] = [];

  /** `forget` is called when a transaction was undone: what was remembered of it is not true. */
  constructor(database: Database, forget: () => void) {
    this.#database = database;
    this.#forget = forget;
  }

  /**
   * Does `work` in the next commit. It may be done twice, when the first transaction was undone, so
   * it must do nothing but write to the database.
   */
  write<Result>(work: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.flush());
      this.#waiting.push({ work, resolve, reject });
    });
  }

  /** Commits what is waiting. */
  flush(): void {
    const group = this.#waiting;
    this.#waiting = [];
    if (group.length > 0) this.#commit(group);
  }

  #commit(group: readonly Waiting[]): void {
    let results: unknown[];
    try {
      results = this.#database.transaction(() => group.map(({ work }) => work()));
    } catch (error) {
      this.#forget();
      return this.#commitApart(group, error);
    }
    group.forEach(({ resolve }, index) => resolve(results[index] as never));
  }

  /** One bad write must not take its neighbours along: each is tried again alone. */
  #commitApart(group: readonly Waiting[], error: unknown): void {
    // Where the lock could not be had, each would wait the whole timeout again.
    const hopeless = error instanceof LedgerError && error.fault === 'busy';
    if (group.length === 1 || hopeless) return group.forEach(({ reject }) => reject(error));
    for (const each of group) this.#commit([each]);
  }
}
