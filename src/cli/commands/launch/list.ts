import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';

export function registerList(parent: Command, runtime: Runtime): void {
  parent
    .command('list')
    .summary('the saved launches')
    .description(
      'List the saved launches: which is in use, whose and where, and what was last seen.',
    )
    .action(async (_options, command: Command) => {
      const { runList } = await import('../../launch/list.ts');
      await runList(runtime, command.optsWithGlobals());
    });
}
