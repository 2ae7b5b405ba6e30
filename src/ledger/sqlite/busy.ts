import { setTimeout as sleep } from 'node:timers/promises';
import { LedgerError } from '../error.ts';

const MAX_PAUSE_MS = 20;
/** Others write for milliseconds: a longer wait is worth a word. */
const TELL_AFTER_MS = 1000;

/** Who uses the ledger, as a wait for another process needs to know. */
export interface Patience {
  /** Aborted when the user interrupts: what only begins something is given up then. */
  readonly signal?: AbortSignal | undefined;
  /** Called once in each wait that takes over a second, or that goes on after an interrupt. */
  readonly onWait?: (() => void) | undefined;
}

interface WaitOptions {
  readonly patience: Patience;
  /** False where the first try has had an effect. */
  readonly mayTryAgain?: () => boolean;
  /** False where it is waited for after an interrupt, too. */
  readonly mayGiveUp?: () => boolean;
}

/**
 * Tries again for `waitMs` while another process has a lock. SQLite would wait by itself, but the whole
 * process with it: no deadline would pass meanwhile, and no signal be heard.
 *
 * @throws {LedgerError} `interrupted` at an interrupt, where it may be given up; `busy` after `waitMs`
 */
export async function whileBusy<Result>(
  waitMs: number,
  attempt: () => Result,
  { patience, mayTryAgain = () => true, mayGiveUp = () => true }: WaitOptions,
): Promise<Result> {
  const { signal, onWait } = patience;
  const started = performance.now();
  let isTold = false;
  for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    try {
      return attempt();
    } catch (error) {
      const isBusy = error instanceof LedgerError && error.fault === 'busy';
      const waitedMs = performance.now() - started;
      if (!isBusy || !mayTryAgain() || waitedMs > waitMs) throw error;
      if (signal?.aborted && mayGiveUp()) throw interrupted(error);
      if (!isTold && (signal?.aborted || waitedMs > TELL_AFTER_MS)) {
        isTold = true;
        onWait?.();
      }
    }
    await sleep(pauseMs);
  }
}

function interrupted(error: LedgerError): LedgerError {
  const words = 'interrupted while waiting for another process that is writing to the ledger';
  return new LedgerError('interrupted', error.file, words, error);
}
