import { Option, type Command } from 'commander';
import type { Runtime } from '../runtime.ts';
import { verb } from './group.ts';

export function registerReport(parent: Command, runtime: Runtime): void {
  const command = parent
    .command('report')
    .summary('report what a tool did wrong, and what it has never met')
    .description(
      'Judge what a tool did to the emulator since its start or the last reset: the findings, each with the requests that show it, then the responses and states that the tool has not met, each with the command that brings it about.',
    );
  reportFlags(command).action(
    verb(runtime, async (context) => {
      const { runReport } = await import('../emulator/report.ts');
      await runReport(context);
    }),
  );
}

/** How a report is given, and when it fails. */
export function reportFlags(command: Command): Command {
  return command
    .addOption(
      new Option('--format <format>', 'output format; sarif is for code scanning').choices([
        'table',
        'json',
        'sarif',
      ]),
    )
    .addOption(
      new Option('--fail-on <severity>', 'exit with 9 on a finding of this severity').choices([
        'error',
        'warning',
      ]),
    );
}
