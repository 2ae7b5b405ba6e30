import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';

export function registerUse(parent: Command, runtime: Runtime): void {
  parent
    .command('use')
    .summary('choose the launch that commands use')
    .description('Choose the launch that commands use where none is named. Asks on a terminal.')
    .argument('[name]', 'a saved launch')
    .action(async (name, _options, command: Command) => {
      const { runUse } = await import('../../launch/use.ts');
      await runUse(runtime, command.optsWithGlobals(), name);
    });
}
