import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '../../src/clock.ts';
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

/**
 * The machine's clock, but no time is up before a request that is tried has come to its service: with a
 * short deadline, a busy machine would else make another case of it, that of a request never sent.
 */
export function clockAfter<Request>(
  requests: readonly Request[],
  isTried: (request: Request) => boolean,
): Clock {
  return {
    ...systemClock,
    setTimer: (ms, act) => {
      const from = requests.length;
      const actOrWait = (): void => {
        if (requests.slice(from).some(isTried)) act();
        else stop = systemClock.setTimer(10, actOrWait);
      };
      let stop = systemClock.setTimer(ms, actOrWait);
      return () => stop();
    },
  };
}
