import type { Host } from './host.ts';
import { EXIT } from '../exit-codes.ts';

/** What somebody who interrupts wants: that no more be begun, and then that nothing be waited for. */
export interface Interrupts {
  readonly first: AbortSignal;
  /** Who asks for it ends by itself at the second Ctrl-C, which otherwise ends the process. */
  readonly second: () => AbortSignal;
}

/** Ctrl-C; SIGTERM, as from a supervisor; SIGHUP, as from a terminal that closes. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** After the second one: so long may the last words take. */
const GRACE_MS = 1000;

/** Watches for the signals that ask to end. What is on disk is whole at any moment. */
export function watchInterrupt(host: Host): Interrupts {
  const first = new AbortController();
  let second: AbortController | undefined;
  const stop = (): void => {
    if (!first.signal.aborted) first.abort();
    else if (second && !second.signal.aborted) {
      second.abort();
      // Whoever reads our output may never do so again.
      setTimeout(() => host.exit(EXIT.interrupted), GRACE_MS).unref();
    } else host.exit(EXIT.interrupted);
  };
  for (const signal of SIGNALS) host.on(signal, stop);
  return { first: first.signal, second: () => (second ??= new AbortController()).signal };
}
