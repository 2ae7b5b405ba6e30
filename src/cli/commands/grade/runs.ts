import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';

export function registerRuns(parent: Command, runtime: Runtime): void {
  parent
    .command('runs')
    .summary('list the bulk runs')
    .description('List the runs that were made of files of grades here, the newest first.')
    .action(async (_options, command: Command) => {
      const { runRuns } = await import('../../grade/runs.ts');
      await runRuns(runtime, command.optsWithGlobals());
    });
}
