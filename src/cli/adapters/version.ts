import type { Host } from './host.ts';

/** Prints the version and nothing else, without a command tree. Resolves with the exit code. */
export async function printVersion({ stdout, stderr }: Host): Promise<number> {
  // The result of `write` has the error; without a listener the event would end the process with a
  // stack trace.
  stdout.on('error', () => {});
  const fault = await new Promise<NodeJS.ErrnoException | null | undefined>((resolve) => {
    stdout.write(`${__VERSION__}\n`, resolve);
  });
  // A closed pipe is not an error.
  if (!fault || fault.code === 'EPIPE') return 0;
  stderr.write(`lectern: ${fault.message}\n`);
  return 1;
}
