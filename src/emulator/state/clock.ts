import type { Tables } from './records.ts';

const KEY = 'clock';

/**
 * The service's clock: the machine's clock plus an offset that is kept in the store. Nothing in the
 * emulator waits for it; lifetimes are checked against it when a request arrives.
 */
export class EmulatorClock {
  readonly #machine: () => number;
  readonly #settings: Tables['clock'];

  constructor(machine: () => number, settings: Tables['clock']) {
    this.#machine = machine;
    this.#settings = settings;
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.#machine() + this.offset;
  }

  /** How far the clock is ahead of the machine's, in ms. */
  get offset(): number {
    return this.#settings.get(KEY)?.offset ?? 0;
  }

  /** When it was last moved, by the machine's clock in ms since the epoch; 0 if it never was. */
  get moved(): number {
    return this.#settings.get(KEY)?.moved ?? 0;
  }

  /** For how many ms it has run like the machine's. */
  get unmovedMs(): number {
    return this.#machine() - this.moved;
  }

  /** Moves the clock by `ms`, forward or back. */
  advance(ms: number): void {
    this.#settings.put({ id: KEY, moved: this.#machine(), offset: this.offset + ms });
  }

  /** Sets the clock to an instant, in ms since the epoch; it continues from there. */
  set(instant: number): void {
    this.advance(instant - this.now());
  }
}
