import type { Host } from './adapters/host.ts';
import { printVersion } from './adapters/version.ts';

/** Runs one command line in a process. Resolves with the exit code, and throws nothing. */
export async function main(argv: readonly string[], host: Host): Promise<number> {
  // The most frequent call of scripts, which needs nothing else.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    return printVersion(host);
  }
  const { run } = await import('./run.ts');
  return run(argv, host);
}
