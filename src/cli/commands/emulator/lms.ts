import type { Argument, Command } from 'commander';
import { number, whole } from '../../arguments/numbers.ts';
import type { LmsOptions } from '../../emulator/lms.ts';
import type { Runtime } from '../../runtime.ts';
import { group } from '../group.ts';

export function registerLms(parent: Command, runtime: Runtime): void {
  const lms = group(parent, 'lms', 'how the LMS behaves, everywhere or at one location');
  const behaviour = (name: string, summary: string): Command =>
    lms
      .command(name)
      .summary(summary)
      .description(`The LMS: ${summary}. It stays so until it is told otherwise, or lms ok.`)
      .option('--location <id>', 'at this location only');
  const acts = (command: Command, change: (options: LmsOptions) => object): void => {
    command.action(async () => {
      const { runLms } = await import('../../emulator/lms.ts');
      const options: LmsOptions = command.optsWithGlobals();
      await runLms(runtime, options, change(options));
    });
  };
  const sets = (field: string, command: Command): void => {
    command.action(async (value: unknown) => {
      const { runLms } = await import('../../emulator/lms.ts');
      await runLms(runtime, command.optsWithGlobals(), { [field]: value });
    });
  };
  const oneOf = (name: string, words: readonly string[]): Argument =>
    lms.createArgument(name).choices(words);

  acts(behaviour('ok', 'takes every score again'), () => ({ ok: true }));
  acts(
    behaviour('refuse', 'refuses every score')
      .option('--status <number>', 'its answer', whole({ from: 300, to: 599 }), 422)
      .option('--body <text>', 'what it says', ''),
    ({ status, body }) => ({ refuse: { status, body } }),
  );
  sets(
    'scope',
    behaviour('scope', 'grants the score scope alone, or the line item scope besides').addArgument(
      oneOf('<scope>', ['score', 'lineitem']),
    ),
  );
  sets(
    'column',
    behaviour('column', 'has a gradebook column, or lacks it').addArgument(
      oneOf('<column>', ['present', 'missing']),
    ),
  );
  sets(
    'points',
    behaviour('points', 'changes the points possible of the column').argument(
      '<points>',
      'such as 50',
      number({ above: 0 }),
    ),
  );
  sets(
    'slow_ms',
    behaviour('slow', 'takes its time').argument(
      '<ms>',
      'milliseconds; 0 is at once',
      number({ from: 0 }),
    ),
  );
}
