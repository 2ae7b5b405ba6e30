import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';

export function registerReport(parent: Command, runtime: Runtime): void {
  parent
    .command('report')
    .summary('the rows of a run as CSV')
    .description(
      'Print the rows of a run as CSV, or with --json as one document. The CSV can be given to grade submit --from as it is; a text that a spreadsheet would run has a mark before it, which is taken off there.',
    )
    .argument('<run>', 'its number; lectern grade runs lists them')
    .option('--failed', 'those that were recorded as failed, or refused')
    .option('--in-doubt', 'those that were sent and have no usable answer')
    .option('--not-sent', 'those that are not sent yet')
    .action(async (run: string, _options, command: Command) => {
      const { runReport } = await import('../../grade/report.ts');
      await runReport(runtime, command.optsWithGlobals(), run);
    });
}
