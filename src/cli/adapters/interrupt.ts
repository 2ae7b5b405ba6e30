import type { Host } from './host.ts';
import { EXIT } from '../exit-codes.ts';

/** What somebody who interrupts wants: that no more be begun, and then that nothing be waited for. */
export interface Interrupts {
  readonly first: AbortSignal;
  readonly second: AbortSignal;
}

/** Ctrl-C; SIGTERM, as from a supervisor; SIGHUP, as from a terminal that closes. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** After the second one: so long may a command take to end by itself, and to say how. */
const GRACE_MS = 1000;

/** Standard error may be a pipe that nobody reads. */
const LAST_WORDS_MS = 200;

/**
 * Watches for the signals that ask to end. A command that has not ended a second after the second
 * signal, or at the third, is ended here, once `lastWords` has said so. What is on disk is whole at
 * any moment.
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
