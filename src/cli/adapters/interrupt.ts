import { EXIT } from '../../contract/exits.ts';

/**
 * The first Ctrl-C (or SIGTERM) asks what runs to finish; the second ends the process now. What is
 * on disk is whole either way.
 */
export function watchInterrupt(): AbortSignal {
  const controller = new AbortController();
  const stop = (): void => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return controller.signal;
}
