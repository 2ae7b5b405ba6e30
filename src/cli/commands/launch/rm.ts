import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';

export function registerRemove(parent: Command, runtime: Runtime): void {
  parent
    .command('rm')
    .summary('forget a saved launch')
    .description('Forget a saved launch and its token. The token itself goes on living.')
    .argument('<name>', 'a saved launch')
    .action(async (name: string, _options, command: Command) => {
      const { runRemove } = await import('../../launch/rm.ts');
      await runRemove(runtime, command.optsWithGlobals(), name);
    });
}
