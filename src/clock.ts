import type { Clock } from './ports.ts';

/** The machine's own clock. */
export const systemClock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    const { setTimeout: delay } = await import('node:timers/promises');
    await delay(ms, undefined, { signal });
  },
  setTimer: (ms, act) => {
    // Who was stopped (SIGSTOP, a laptop's lid) finds the time over, and perhaps an answer that came
    // meanwhile: timers go first, so that what has come is read before this one acts.
    let immediate: NodeJS.Immediate | undefined;
    const timer = setTimeout(() => (immediate = setImmediate(act)), ms);
    return () => {
      clearTimeout(timer);
      clearImmediate(immediate);
    };
  },
};
