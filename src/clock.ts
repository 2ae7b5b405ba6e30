import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from './ports.ts';

export const systemClock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  // It rejects only for its signal: callers that wait in a loop rely on it.
  sleep: (ms, signal) => delay(ms, undefined, { signal }),
  setTimer: (ms, act) => {
    // After a suspension (SIGSTOP, a closed lid) the time is over, but an answer may have arrived: Node
    // runs timers first, so `setImmediate` lets pending input be read before.
    let immediate: NodeJS.Immediate | undefined;
    const timer = setTimeout(() => (immediate = setImmediate(act)), ms);
    return () => {
      clearTimeout(timer);
      clearImmediate(immediate);
    };
  },
};

/**
 * Waits for `ms`, or until the signal aborts.
 *
 * @throws any other error of the clock: a loop around it must not continue without a wait
 */
export async function sleepUnlessAborted(
  { sleep }: Pick<Clock, 'sleep'>,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  try {
    await sleep(ms, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/**
 * Resolves after this turn of the event loop and the next. Writes that are asked for until then may go
 * to disk together: undici writes the next request of a connection in the turn after its response, so a
 * commit in that turn would keep all connections waiting but one.
 */
export async function untilTurnsEnd(): Promise<void> {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
}
