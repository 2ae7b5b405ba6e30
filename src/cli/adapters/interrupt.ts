import type { Host } from './host.ts';
import { EXIT } from '../exit-codes.ts';

/** The first interrupt stops new work, the second also stops waiting. */
export interface Interrupts {
  readonly first: AbortSignal;
  readonly second: AbortSignal;
}

/** Ctrl-C; SIGTERM, for example from a supervisor; SIGHUP, from a terminal that closes. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The time that a command has to end by itself, and report how, after the second signal. */
const GRACE_MS = 1000;

/** Standard error may be a pipe without a reader. */
const LAST_WORDS_MS = 200;

/**
 * Handles the signals that ask to end. A command that has not ended a second after the second
 * signal, or at the third, is ended here, after `lastWords`. The state on disk is consistent at any
 * time.
 */
export function watchInterrupt(host: Host, lastWords: () => Promise<void>): Interrupts {
  const first = new AbortController();
  const second = new AbortController();
  const end = (): void => {
    const exit = (): void => host.exit(EXIT.interrupted);
    setTimeout(exit, LAST_WORDS_MS);
    lastWords().then(exit, exit);
  };
  const stop = (): void => {
    if (!first.signal.aborted) first.abort();
    else if (second.signal.aborted) end();
    else {
      second.abort();
      setTimeout(end, GRACE_MS).unref();
    }
  };
  for (const signal of SIGNALS) host.on(signal, stop);
  return { first: first.signal, second: second.signal };
}
