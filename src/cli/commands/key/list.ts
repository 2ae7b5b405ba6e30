import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';

export function registerList(parent: Command, runtime: Runtime): void {
  parent
    .command('list')
    .summary('the saved keys')
    .description('List the saved keys by name, with the origin of each. No part of a key is shown.')
    .action(async (_options, command: Command) => {
      const { runList } = await import('../../key/list.ts');
      await runList(runtime, command.optsWithGlobals());
    });
}
