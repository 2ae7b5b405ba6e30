import { setTimeout as sleep } from 'node:timers/promises';
import { SqliteError, sqliteFaultOf } from './error.ts';

const MAX_PAUSE_MS = 20;
/** A write usually takes milliseconds: a longer wait is reported. */
const REPORT_AFTER_MS = 1000;

/** How a wait for another process can be interrupted and reported. */
export interface Patience {
  /** Aborts when the user interrupts: waits that only begin something then end. */
  readonly signal?: AbortSignal | undefined;
  /** Called once in each wait of more than a second, or that continues after an interrupt. */
  readonly onWait?: (() => void) | undefined;
}

interface WaitOptions {
  readonly patience: Patience;
  /** False if the first try has had an effect. */
  readonly mayTryAgain?: () => boolean;
  /** False if the wait continues after an interrupt. */
  readonly mayGiveUp?: () => boolean;
}

/**
 * Tries again for `waitMs` while another process has a lock. SQLite itself would block the whole
 * process: no deadline would pass, and no signal would be handled.
 *
 * @throws {SqliteError} `interrupted` at an interrupt, if `mayGiveUp`; what is busy after `waitMs`
 */
export async function whileBusy<Result>(
  waitMs: number,
  attempt: () => Result,
  { patience, mayTryAgain = () => true, mayGiveUp = () => true }: WaitOptions,
): Promise<Result> {
  const { signal, onWait } = patience;
  const started = performance.now();
  let isReported = false;
  for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    try {
      return attempt();
    } catch (error) {
      const waitedMs = performance.now() - started;
      if (sqliteFaultOf(error) !== 'busy' || !mayTryAgain() || waitedMs > waitMs) throw error;
      if (signal?.aborted && mayGiveUp()) {
        throw new SqliteError('interrupted', 'interrupted while waiting for a lock', {
          cause: error,
        });
      }
      if (!isReported && (signal?.aborted || waitedMs > REPORT_AFTER_MS)) {
        isReported = true;
        onWait?.();
      }
    }
    await sleep(pauseMs);
  }
}
