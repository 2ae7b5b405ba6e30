import type { Host } from './host.ts';
import { EXIT } from '../exit-codes.ts';

/** Ctrl-C; SIGTERM, for example from a supervisor; SIGHUP, from a terminal that closes. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The time that a command has to end by itself, and report how, after the second signal. */
const GRACE_MS = 1000;

/** Standard error may be a pipe without a reader. */
const LAST_WORDS_MS = 200;

/** Ends the process after its last words, which resolve with its exit code; else with `exit`. */
function end(host: Host, exit: number, lastWords: Promise<number | void>): void {
  const fail = (): void => host.exit(exit);
  setTimeout(fail, LAST_WORDS_MS);
  lastWords.then((code) => host.exit(code ?? exit), fail);
}

/**
 * Handles the signals that ask to end: the first one stops new work, the second also stops waiting. A command that has not ended a second after the second
 * signal, or at the third, is ended here, after `lastWords`. The state on disk is consistent at any
 * time.
 */
export function watchInterrupt(host: Host, lastWords: () => Promise<void>) {
  const first = new AbortController();
  const second = new AbortController();
  const endNow = (): void => end(host, EXIT.interrupted, lastWords());
  const stop = (): void => {
    if (!first.signal.aborted) first.abort();
    else if (second.signal.aborted) endNow();
    else {
      second.abort();
      setTimeout(endNow, GRACE_MS).unref();
    }
  };
  for (const signal of SIGNALS) host.on(signal, stop);
  return { first: first.signal, second: second.signal };
}

/**
 * Ensures that no command ends silently: neither when it waits for something that can no longer
 * happen, so that Node runs out of work, nor through an uncaught error. `report` prints the reason
 * and resolves with the exit code. Returns a function that ends the watch.
 */
export function watchUnexpectedEnd(
  host: Host,
  report: (error: unknown) => Promise<number>,
): () => void {
  const fail = (reason: unknown): void => end(host, EXIT.unexpected, report(reason));
  const stuck = (): void =>
    fail(new Error('the command is waiting for something that can no longer happen'));
  host.once('beforeExit', stuck);
  host.on('uncaughtException', fail);
  host.on('unhandledRejection', fail);
  return () => {
    host.off('beforeExit', stuck);
    host.off('uncaughtException', fail);
    host.off('unhandledRejection', fail);
  };
}
