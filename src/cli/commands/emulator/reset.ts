import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';

export function registerReset(parent: Command, runtime: Runtime): void {
  parent
    .command('reset')
    .summary('forget everything')
    .description(
      'Forget all rows, files, attempts, tokens and changes, and plant the seed anew. Saved launches end.',
    )
    .action(async (_options, command: Command) => {
      const { runReset } = await import('../../emulator/reset.ts');
      await runReset(runtime, command.optsWithGlobals());
    });
}
