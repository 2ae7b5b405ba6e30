import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../src/ports.ts';

/**
 * A clock whose waits are over at once: it is later then, by as much as was waited for. A deadline
 * takes its time. `clock` of a run makes a test of waits one that does not wait.
 */
export class FastClock implements Clock {
  #aheadMs = 0;

  /** Lets time pass. */
  advance(ms: number): void {
    this.#aheadMs += ms;
  }

  readonly now = (): number => Math.floor(Date.now() + this.#aheadMs);

  readonly monotonic = (): number => performance.now() + this.#aheadMs;

  readonly sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
    const over = this.monotonic() + ms;
    await nextTurn(undefined, { signal });
    // Others may have waited meanwhile, for as long or longer.
    this.advance(Math.max(0, over - this.monotonic()));
  };

  readonly setTimer = (ms: number, act: () => void): (() => void) => {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  };
}
