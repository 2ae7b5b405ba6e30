import type { Host } from './host.ts';

/** Standard error may be a pipe that nobody reads. */
const LAST_WORDS_MS = 200;

/**
 * Sees to it that no command ends without a word: not when what it waits for can no longer come, which
 * ends Node for want of anything to do, and not by an error that nobody catches. `tell` says what
 * happened and resolves with the exit code. Returns what ends the watch.
 */
export function watchUnexpectedEnd(
  host: Host,
  tell: (error: unknown) => Promise<number>,
): () => void {
  const end = (reason: unknown): void => {
    const fail = (): void => host.exit(1);
    setTimeout(fail, LAST_WORDS_MS);
    tell(reason).then((code) => host.exit(code), fail);
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
