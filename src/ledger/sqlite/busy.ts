import { setTimeout as sleep } from 'node:timers/promises';
import { LedgerError } from '../error.ts';

const LONGEST_PAUSE_MS = 20;

/**
 * Tries again for `waitMs` while another process has a lock. SQLite would wait by itself, but the whole
 * process with it: no deadline would pass meanwhile, and no signal be heard. `mayTryAgain` is false
 * where the first try has had an effect.
 */
export async function whileBusy<Result>(
  waitMs: number,
  attempt: () => Result,
  mayTryAgain: () => boolean = () => true,
): Promise<Result> {
  const started = performance.now();
  for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return attempt();
    } catch (error) {
      const isBusy = error instanceof LedgerError && error.fault === 'busy';
      if (!isBusy || !mayTryAgain() || performance.now() - started > waitMs) throw error;
    }
    await sleep(pauseMs);
  }
}
