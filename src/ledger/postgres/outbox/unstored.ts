import { sleepUnlessAborted } from '../../../clock.ts';
import type { Clock } from '../../../ports.ts';
import type { NewOutcome, Outbox } from './outbox.ts';

/** How long a response may be in memory only, in ms. */
const IN_MEMORY_MS = 500;

/** A file of the outbox, and how many of its outcomes the server has not stored. */
interface KeptFile {
  readonly name: Promise<string>;
  left: number;
}

/**
 * The outcomes that the server has not stored yet. Each is in the outbox after half a second, even
 * if the connection hangs, and is removed from there when the server has it.
 */
export class UnstoredOutcomes {
  readonly #outbox: Outbox;
  readonly #clock: Pick<Clock, 'monotonic' | 'sleep'>;
  /** Those in memory only, oldest first, with their time of arrival. */
  readonly #since = new Map<NewOutcome, number>();
  readonly #files = new Map<NewOutcome, KeptFile>();
  readonly #closed = new AbortController();
  #watching: Promise<void> | undefined;

  constructor(outbox: Outbox, clock: Pick<Clock, 'monotonic' | 'sleep'>) {
    this.#outbox = outbox;
    this.#clock = clock;
  }

  add(outcome: NewOutcome): void {
    this.#since.set(outcome, this.#clock.monotonic());
    this.#watching ??= this.#watch().finally(() => (this.#watching = undefined));
  }

  /** Whether another lectern on this machine may have delivered it. */
  isKept(outcome: NewOutcome): boolean {
    return this.#files.has(outcome);
  }

  /** Resolves when the outcomes are on disk. */
  async keep(outcomes: Iterable<NewOutcome> = this.#since.keys()): Promise<void> {
    const all = [...outcomes];
    const fresh = all.filter((outcome) => this.#since.delete(outcome));
    if (fresh.length > 0) this.#write(fresh);
    await Promise.all(all.map((outcome) => this.#files.get(outcome)?.name));
  }

  #write(outcomes: readonly NewOutcome[]): void {
    const lines = outcomes.map(({ attempt, outcome, made }) => ({ attempt, outcome, made }));
    const file = { name: this.#outbox.keep(lines), left: outcomes.length };
    for (const outcome of outcomes) this.#files.set(outcome, file);
    file.name.catch(() => {
      for (const outcome of outcomes) if (this.#files.delete(outcome)) this.add(outcome);
    });
  }

  /** Removes outcomes from the outbox: the server has stored or refused them. */
  async remove(outcomes: readonly NewOutcome[]): Promise<void> {
    for (const outcome of outcomes) {
      this.#since.delete(outcome);
      const file = this.#files.get(outcome);
      this.#files.delete(outcome);
      if (file && (file.left -= 1) === 0) {
        await file.name.then(
          (name) => this.#outbox.discard(name),
          () => {},
        );
      }
    }
  }

  /** Leaves outcomes in the outbox, for the next lectern here. */
  leave(outcomes: readonly NewOutcome[]): void {
    for (const outcome of outcomes) this.#files.delete(outcome);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    const { signal } = this.#closed;
    for (;;) {
      const [oldest] = this.#since.values();
      if (oldest === undefined || signal.aborted) return;
      const left = oldest + IN_MEMORY_MS - this.#clock.monotonic();
      if (left > 0) await sleepUnlessAborted(this.#clock, left, signal);
      // A failed write is repeated later.
      else await this.keep().catch(() => {});
    }
  }
}
