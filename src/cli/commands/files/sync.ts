import type { Command } from 'commander';
import { whole } from '../../arguments/numbers.ts';
import type { Runtime } from '../../runtime.ts';
import { addConcurrency } from './flags.ts';

export function registerSync(parent: Command, runtime: Runtime): void {
  const command = parent
    .command('sync')
    .summary('make a folder and the files of a row the same')
    .description(
      'Make the second side like the first: DIR ROW uploads, ROW DIR downloads. Files are compared by size, then by date. A folder that is called like a row is written ./member.',
    )
    .argument('<from>', 'a folder, or a row')
    .argument('<to>', 'a row, or a folder')
    .option('--delete', 'delete what the first side does not have')
    .option(
      '--max-delete <n>',
      'do nothing at all where more than that would go',
      whole({ from: 0 }),
    )
    .option('--include <glob>', 'only these keys; may be repeated', collect, [])
    .option('--exclude <glob>', 'not these keys; may be repeated', collect, [])
    .option('--checksum', 'compare the contents of files of equal size, instead of dates')
    .option('--follow-symlinks', 'take what symbolic links point at')
    .option('--dry-run', 'show the plan, and change nothing');
  addConcurrency(command).action(async (from: string, to: string, _options, called: Command) => {
    const { runSync } = await import('../../files/sync.ts');
    await runSync(runtime, called.optsWithGlobals(), from, to);
  });
}

function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}
