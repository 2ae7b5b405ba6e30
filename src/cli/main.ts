import type { FileRequire } from './adapters/code-cache.ts';
import { useCompileCache } from './adapters/compile-cache.ts';
import type { Host } from './adapters/host.ts';
import { printVersion } from './adapters/version.ts';

/**
 * Runs one command line in a process. Resolves with the exit code, and throws nothing. `require` is that of
 * a file of Node's: what lectern loads by it is compiled only once. Without it nothing is kept.
 */
export async function main(
  argv: readonly string[],
  host: Host,
  require?: FileRequire,
): Promise<number> {
  // Asked by scripts more than anything else, and needs nothing of the rest.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    return printVersion(host);
  }
  if (require !== undefined) useCompileCache(require);
  const { run } = await import('./run.ts');
  return run(argv, host);
}
