import type { Clock } from './ports.ts';

/** The system's clock. */
export const systemClock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    const { setTimeout: delay } = await import('node:timers/promises');
    await delay(ms, undefined, { signal });
  },
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
