import type { Command } from 'commander';
import { whole } from '../../arguments/numbers.ts';
import type { Runtime } from '../../runtime.ts';
import { ROW_ARGUMENT } from './flags.ts';

export function registerHistory(parent: Command, runtime: Runtime): void {
  const history = parent
    .command('history')
    .summary('list the before-images kept on this machine')
    .description(
      'List the rows as they were before each write, kept on this machine: the newest 100 of a row, for 90 days.',
    )
    .argument('[row]', ROW_ARGUMENT)
    .option('--limit <n>', 'so many, the newest first', whole({ from: 1 }), 50)
    .option('--show <id>', 'the very bytes of one of them, be they JSON or not')
    .action(async (row, _options, command: Command) => {
      const { runHistory } = await import('../../storage/history.ts');
      await runHistory(runtime, command.optsWithGlobals(), row);
    });
  history
    .command('clear')
    .description('Let go of every before-image, and overwrite its bytes.')
    .action(async (_options, command: Command) => {
      const { runClear } = await import('../../storage/history.ts');
      await runClear(runtime, command.optsWithGlobals());
    });
  history
    .command('off')
    .description('Keep no before-images from now on.')
    .action(async (_options, command: Command) => {
      const { runSwitch } = await import('../../storage/history.ts');
      await runSwitch(runtime, command.optsWithGlobals(), false);
    });
  history
    .command('on')
    .description('Keep before-images again.')
    .action(async (_options, command: Command) => {
      const { runSwitch } = await import('../../storage/history.ts');
      await runSwitch(runtime, command.optsWithGlobals(), true);
    });
}
