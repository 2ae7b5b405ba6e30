import { Option, type Command } from 'commander';
import { number } from '../arguments/numbers.ts';
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

/** Trouble on purpose, for an emulator that is started. */
export function chaosFlags(command: Command): Command {
  return command
    .option(
      '--chaos <seed>',
      'bring trouble that a course can bring, the same for the same seed: ended tokens, 401, 503, lost and late responses, refusals of the LMS, changed rows',
    )
    .option(
      '--chaos-share <number>',
      'share of the requests that meet it, from 0 to 1 (default: 0.05)',
      number({ from: 0, to: 1 }),
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
