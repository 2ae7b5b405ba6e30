import type { Command } from 'commander';
import { whole } from '../../arguments/numbers.ts';
import type { Runtime } from '../../runtime.ts';

export function registerStart(parent: Command, runtime: Runtime): void {
  parent
    .command('start')
    .summary('start an emulator and stay with it')
    .description(
      'Serve the whole service on loopback until Ctrl-C. What it acknowledges survives a kill.',
    )
    .option(
      '--port <number>',
      'the port of the API; else any that is free',
      whole({ from: 0, to: 65_535 }),
    )
    .option('--data <folder>', 'where it keeps its data; else a folder under the home of lectern')
    .option('--memory', 'keep nothing')
    .option(
      '--seed <file>',
      'the world of a new emulator and of a reset, as JSON; "example" is one that comes with lectern',
    )
    .action(async (_options, command: Command) => {
      const { runStart } = await import('../../emulator/start.ts');
      await runStart(runtime, command.optsWithGlobals());
    });
}
