import type { EmulatorClock } from './clock.ts';
import type { Store } from '../store/store.ts';

/**
 * The timestamps of attempts: "each later attempt carries a later one", for all members together, even
 * if the clock stops or goes back, or if two attempts are made at once.
 */
export class MonotonicTimestamps {
  readonly #clock: EmulatorClock;
  readonly #store: Store;
  /** The latest timestamp, even if its attempt is not recorded yet. */
  #last: number | undefined;

  constructor(clock: EmulatorClock, store: Store) {
    this.#clock = clock;
    this.#store = store;
  }

  /** In ms since the epoch, at least one millisecond after the previous one. */
  next(): number {
    const last = this.#last ?? this.#store.attempts.lastSubmitted();
    this.#last = Math.max(this.#clock.now(), last + 1);
    return this.#last;
  }

  /** Continues after the attempts that are in the store now. */
  forget(): void {
    this.#last = undefined;
  }
}
