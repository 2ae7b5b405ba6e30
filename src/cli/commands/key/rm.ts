import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';

export function registerRemove(parent: Command, runtime: Runtime): void {
  parent
    .command('rm')
    .summary('forget a saved key')
    .description('Forget a saved key. The key itself stays valid: rotate it in the dashboard.')
    .argument('<name>', 'a saved key')
    .action(async (name: string, _options, command: Command) => {
      const { runRemove } = await import('../../key/rm.ts');
      await runRemove(runtime, command.optsWithGlobals(), name);
    });
}
