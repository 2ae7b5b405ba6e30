import type { Command } from 'commander';
import { number } from '../../arguments/numbers.ts';
import type { Runtime } from '../../runtime.ts';
import { ROW_ARGUMENT } from './flags.ts';

export function registerWatch(parent: Command, runtime: Runtime): void {
  parent
    .command('watch')
    .summary('print each change of a row')
    .description(
      'Read a row again and again until interrupted, and print each change as a JSON Patch. Each call keeps the token alive: it restarts its 12 hours.',
    )
    .argument('[row]', ROW_ARGUMENT)
    .option(
      '--interval <seconds>',
      'from one reading to the next',
      number({ from: 0.1, to: 86_400 }),
      5,
    )
    .action(async (row, _options, command: Command) => {
      const { runWatch } = await import('../../storage/watch.ts');
      await runWatch(runtime, command.optsWithGlobals(), row);
    });
}
