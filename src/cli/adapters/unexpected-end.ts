import type { Host } from './host.ts';

/** Standard error may be a pipe without a reader. */
const LAST_WORDS_MS = 200;

/**
 * Ensures that no command ends silently: neither when it waits for something that can no longer
 * happen, so that Node runs out of work, nor through an uncaught error. `report` prints the reason
 * and resolves with the exit code. Returns a function that ends the watch.
 */
export function watchUnexpectedEnd(
  host: Host,
  report: (error: unknown) => Promise<number>,
): () => void {
  const end = (reason: unknown): void => {
    const fail = (): void => host.exit(1);
    setTimeout(fail, LAST_WORDS_MS);
    report(reason).then((code) => host.exit(code), fail);
  };
  const stuck = (): void =>
    end(new Error('the command is waiting for something that can no longer happen'));
  host.once('beforeExit', stuck);
  host.on('uncaughtException', end);
  host.on('unhandledRejection', end);
  return () => {
    host.off('beforeExit', stuck);
    host.off('uncaughtException', end);
    host.off('unhandledRejection', end);
  };
}
