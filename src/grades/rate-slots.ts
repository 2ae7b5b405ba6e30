import { sleepUnlessAborted } from '../clock.ts';
import type { Time, WaitingRequest } from './rate-limiter.ts';

/** A slot that is later than this was slept through, and is not used. */
const MOST_LATE_MS = 1000;
/** Slots for so long are taken at once at most: another worker may need them more. */
const MOST_AHEAD_MS = 200;

/**
 * Gives each request a time of its own, out of those that all workers share: as many at a time as
 * there are requests waiting for one.
 */
export class RateSlots {
  readonly #time: Time;
  readonly #rate: number;
  readonly #take: (count: number) => Promise<number>;
  readonly #waiting: WaitingRequest[] = [];
  readonly #closing = new AbortController();
  #serving = false;

  /** `rate` a second; `take` takes so many slots, and tells in how many ms the first one is. */
  constructor(time: Time, rate: number, take: (count: number) => Promise<number>) {
    this.#time = time;
    this.#rate = rate;
    this.#take = take;
  }

  /** Resolves when a request may go out; with false once this has been closed. */
  acquire(): Promise<boolean> | boolean {
    if (this.#closing.signal.aborted) return false;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      if (!this.#serving) void this.#serve();
    });
  }

  close(): void {
    this.#closing.abort();
    for (const { resolve } of this.#waiting.splice(0)) resolve(false);
  }

  async #serve(): Promise<void> {
    this.#serving = true;
    try {
      while (this.#waiting.length > 0) await this.#serveSome();
    } catch (error) {
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    } finally {
      this.#serving = false;
    }
  }

  async #serveSome(): Promise<void> {
    const { monotonic } = this.#time;
    const most = Math.max(1, Math.floor((this.#rate * MOST_AHEAD_MS) / 1000));
    const count = Math.min(this.#waiting.length, most);
    const first = (await this.#take(count)) + monotonic();
    for (let index = 0; index < count; index += 1) {
      const at = first + (index * 1000) / this.#rate;
      const waitMs = at - monotonic();
      if (waitMs > 0) {
        await sleepUnlessAborted(this.#time, Math.ceil(waitMs), this.#closing.signal);
      }
      if (this.#closing.signal.aborted) return;
      if (monotonic() - at <= MOST_LATE_MS) this.#waiting.shift()?.resolve(true);
    }
  }
}
