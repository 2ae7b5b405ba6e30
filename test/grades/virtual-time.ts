import type { Time } from '../../src/grades/rate-limiter.ts';

interface Timer {
  readonly at: number;
  readonly act: () => void;
}

/** A clock that is stopped until it is moved to the next awaited moment. */
export class VirtualTime implements Time {
  #now = 0;
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
      this.#timers.push(timer);
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
      const next = Math.min(...this.#timers.map(({ at }) => at));
      if (next === Infinity) throw new Error('everybody waits for nothing');
      this.#now = next;
      const due = this.#timers.filter(({ at }) => at <= next);
      this.#timers = this.#timers.filter(({ at }) => at > next);
      for (const { act } of due) act();
    }
    return ended;
  }
}
