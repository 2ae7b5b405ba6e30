import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';

export function registerState(parent: Command, runtime: Runtime): void {
  parent
    .command('state')
    .summary('everything that is kept')
    .description(
      'Show tools, courses, locations, members, rows, files, attempts and the gradebook, with their IDs.',
    )
    .action(async (_options, command: Command) => {
      const { runState } = await import('../../emulator/state.ts');
      await runState(runtime, command.optsWithGlobals());
    });
}
