import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { ROW_ARGUMENT } from './flags.ts';

export function registerDiff(parent: Command, runtime: Runtime): void {
  parent
    .command('diff')
    .summary('show what differs between a row and something else')
    .description(
      'Show what would make the row like a file, another row, or without either like its newest before-image that differs.',
    )
    .argument('[row]', ROW_ARGUMENT)
    .argument('[other]', 'a file, - for standard input, or another row')
    .option('--image <id>', 'compare with this before-image, as storage history lists it')
    .option('--patch', 'print the JSON Patch instead of the lines')
    .option('--exit-code', 'end with 1 when there is a difference')
    .action(async (row, other, _options, command: Command) => {
      const { runDiff } = await import('../../storage/diff.ts');
      await runDiff(runtime, command.optsWithGlobals(), [row, other]);
    });
}
