import type { Clock } from '../../src/ports.ts';

interface Timer {
  readonly at: number;
  readonly act: () => void;
}

/** A clock that is stopped until it is moved to the next awaited moment. */
export class VirtualTime {
  #now = 0;
  /** By their moments, and those of one moment as they were made. */
  #timers: Timer[] = [];
  /** Work that takes turns of the event loop, and no time. */
  #working = 0;

  readonly monotonic = (): number => this.#now;

  /** From a date of its own: the engines compare with times that other processes stored. */
  readonly now = (): number => EPOCH + Math.floor(this.#now);

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const aborted = (): void => {
        stop();
        reject(new Error('aborted'));
      };
      const stop = this.setTimer(ms, () => {
        signal?.removeEventListener('abort', aborted);
        resolve();
      });
      signal?.addEventListener('abort', aborted);
      if (signal?.aborted) aborted();
    });

  readonly setTimer: Clock['setTimer'] = (ms, act) => {
    const timer = { at: this.#now + Math.max(1, ms), act };
    const before = this.#timers.findLastIndex(({ at }) => at <= timer.at);
    this.#timers.splice(before + 1, 0, timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  };

  /** Does not move on before this work is done. */
  async waitingFor<Result>(work: Promise<Result>): Promise<Result> {
    this.#working += 1;
    return work.finally(() => {
      this.#working -= 1;
    });
  }

  /** Moves on from moment to moment until the work is done. */
  async until<Result>(work: Promise<Result>): Promise<Result> {
    const state = { done: false };
    const ended = work.finally(() => {
      state.done = true;
    });
    for (let idle = 0; ; idle += 1) {
      await new Promise(setImmediate);
      if (state.done) break;
      const [next] = this.#timers;
      if (idle > MAX_IDLE_TURNS) throw new Error('all wait, and no wait will end');
      // A module that is imported takes turns too.
      if (this.#working > 0 || next === undefined) continue;
      idle = 0;
      this.#now = next.at;
      const later = this.#timers.findIndex(({ at }) => at > next.at);
      for (const { act } of this.#timers.splice(0, later === -1 ? Infinity : later)) act();
    }
    return ended;
  }
}

const EPOCH = Date.parse('2026-10-13T12:00:00Z');
/** More turns of the event loop than any work takes. */
const MAX_IDLE_TURNS = 100_000;
