import type { Host } from './adapters/host.ts';

/** Runs the command line of this process, and ends it. */
export function runProcess(host: NodeJS.Process): void {
  // If `main` never resolved, Node would end with exit code 0.
  host.on('exit', () => (host.exitCode ??= 1));
  void main(host.argv.slice(2), host).then((exitCode) => {
    host.exitCode = exitCode;
    // Node ends by itself, which closes the ledger's files. What is still open, such as output that is
    // not read, must not keep the process.
    setTimeout(() => host.exit(), 50).unref();
  });
}

/** Runs one command line in a process. Resolves with the exit code, and throws nothing. */
export async function main(argv: readonly string[], host: Host): Promise<number> {
  // The most frequent call of scripts, which needs nothing else.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    return printVersion(host);
  }
  const { run } = await import('./run.ts');
  return run(argv, host);
}

/** Prints the version and nothing else, without a command tree. Resolves with the exit code. */
async function printVersion({ stdout, stderr }: Host): Promise<number> {
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
