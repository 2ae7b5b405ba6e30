import type { Time } from '../../src/grades/rate-limiter.ts';

interface Timer {
  readonly at: number;
  readonly act: () => void;
}

/** A clock that is stopped until it is moved to the next awaited moment. */
export class VirtualTime implements Time {
  #now = 0;
  /** By their moments, and those of one moment as they were made. */
  #timers: Timer[] = [];

  readonly monotonic = (): number => this.#now;

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const aborted = (): void => {
        this.#timers = this.#timers.filter((each) => each !== timer);
        reject(new Error('aborted'));
      };
      const act = (): void => {
        signal?.removeEventListener('abort', aborted);
        resolve();
      };
      const timer = { at: this.#now + Math.max(1, ms), act };
      const before = this.#timers.findLastIndex(({ at }) => at <= timer.at);
      this.#timers.splice(before + 1, 0, timer);
      signal?.addEventListener('abort', aborted);
      if (signal?.aborted) aborted();
    });

  /** Moves on from moment to moment until the work is done. */
  async until<Result>(work: Promise<Result>): Promise<Result> {
    const state = { done: false };
    const ended = work.finally(() => {
      state.done = true;
    });
    for (;;) {
      await new Promise(setImmediate);
      if (state.done) break;
      const [next] = this.#timers;
      if (next === undefined) throw new Error('all wait, and no wait will end');
      this.#now = next.at;
      const later = this.#timers.findIndex(({ at }) => at > next.at);
      for (const { act } of this.#timers.splice(0, later === -1 ? Infinity : later)) act();
    }
    return ended;
  }
}
