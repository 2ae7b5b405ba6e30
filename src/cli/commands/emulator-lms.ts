import type { Command, Argument } from 'commander';
import type { Taken } from '../../emulator/index.ts';
import { number, wholeNumber } from '../arguments/numbers.ts';
import type { LmsOptions } from '../emulator/actions.ts';
import type { Runtime } from '../runtime.ts';
import { group, verb } from './group.ts';

export function registerLms(parent: Command, runtime: Runtime): void {
  const lms = group(parent, 'lms', 'set the behavior of the LMS, for all locations or one');
  const behaviour = (name: string, summary: string): Command =>
    lms
      .command(name)
      .summary(summary)
      .description(`Set the LMS so that it ${summary}. Lasts until changed, or reset with lms ok.`)
      .option('--location <id>', 'only for this location');
  const acts = (command: Command, change: (options: LmsOptions) => Taken['POST lms']): void => {
    command.action(
      verb(runtime, async (context) => {
        const { runLms } = await import('../emulator/actions.ts');
        await runLms(context, change(context.options));
      }),
    );
  };
  const sets = (field: string, command: Command): void => {
    command.action(
      verb(runtime, async (context, value: unknown) => {
        const { runLms } = await import('../emulator/actions.ts');
        await runLms(context, { [field]: value });
      }),
    );
  };
  const oneOf = (name: string, words: readonly string[]): Argument =>
    lms.createArgument(name).choices(words);

  acts(behaviour('ok', 'accepts every score (the default)'), () => ({ ok: true }));
  acts(
    behaviour('refuse', 'rejects scores: all, or those selected by options')
      .option(
        '--status <number>',
        'HTTP status of its response',
        wholeNumber({ from: 300, to: 599 }),
        422,
      )
      .option('--body <text>', 'body of its response', '')
      .option('--member <id...>', 'only scores of these members')
      .option('--percent <number>', 'only this percentage of scores', number({ from: 0, to: 100 }))
      .option('--times <number>', 'only this many scores', wholeNumber({ from: 1 })),
    ({ status, body, member: members, percent, times }) => ({
      refuse: { status, body, members, percent, times },
    }),
  );
  sets(
    'scope',
    behaviour('scope', 'grants only the score scope, or the line item scope too').addArgument(
      oneOf('<scope>', ['score', 'lineitem']),
    ),
  );
  sets(
    'column',
    behaviour('column', 'has or lacks a gradebook column').addArgument(
      oneOf('<column>', ['present', 'missing']),
    ),
  );
  sets(
    'points',
    behaviour('points', 'has this many points possible in the column').argument(
      '<points>',
      'such as 50',
      number({ above: 0 }),
    ),
  );
  sets(
    'slow_ms',
    behaviour('slow', 'responds slowly').argument(
      '<ms>',
      'milliseconds; 0 for no delay',
      number({ from: 0 }),
    ),
  );
}
