import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { ROW_ARGUMENT } from './flags.ts';

export function registerSize(parent: Command, runtime: Runtime): void {
  parent
    .command('size')
    .summary('show what takes the space of a row')
    .description(
      'Show the size of a row as compact JSON, in which its limit is measured, and of each key with its value, the largest first.',
    )
    .argument('[row]', ROW_ARGUMENT)
    .action(async (row, _options, command: Command) => {
      const { runSize } = await import('../../storage/size.ts');
      await runSize(runtime, command.optsWithGlobals(), row);
    });
}
