import type { Clock } from './clock.ts';
import type { Store } from '../store/store.ts';

/**
 * The instants of attempts: "each later attempt carries a later one", whosever it is, even when the
 * clock stands still or goes back, or two are on their way at once.
 */
export class MonotonicTimestamps {
  readonly #clock: Clock;
  readonly #store: Store;
  /** The latest that was given, its attempt recorded or still on its way. */
  #last: number | undefined;

  constructor(clock: Clock, store: Store) {
    this.#clock = clock;
    this.#store = store;
  }

  /** In ms since the epoch, a millisecond or more after the one before. */
  next(): number {
    const last = this.#last ?? this.#store.lastSubmitted();
    this.#last = Math.max(this.#clock.now(), last + 1);
    return this.#last;
  }

  /** Goes on from the attempts that the store has now. */
  forget(): void {
    this.#last = undefined;
  }
}
