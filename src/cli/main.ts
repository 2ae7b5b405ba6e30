import { printVersion } from './adapters/version.ts';

/** Runs one command line. Resolves with the exit code, and throws nothing. */
export async function main(argv: readonly string[]): Promise<number> {
  // Asked by scripts more than anything else, and needs nothing of the rest.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    return printVersion();
  }
  const { run } = await import('./run.ts');
  return run(argv);
}
