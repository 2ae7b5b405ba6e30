import type { Argument, Command } from 'commander';
import { control } from '../../emulator/control.ts';
import { group } from '../../group.ts';
import { number, whole } from '../../number-arguments.ts';
import { lmsTable } from '../../output/emulator.ts';
import type { GlobalOptions, Runtime } from '../../runtime.ts';
import { printJson, printTable } from '../../ui.ts';

interface LmsOptions extends GlobalOptions {
  readonly location?: string;
  readonly status?: number;
  readonly body?: string;
}

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
      const options: LmsOptions = command.optsWithGlobals();
      await runLms(runtime, options, change(options));
    });
  };
  const sets = (field: string, command: Command): void => {
    command.action(async (value: unknown) => {
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

async function runLms(runtime: Runtime, options: LmsOptions, change: object): Promise<void> {
  const { location } = options;
  const shown = await control(runtime, options, 'POST lms', { ...change, location });
  if (options.json) await printJson(runtime, shown);
  else await printTable(runtime, lmsTable(shown.lms));
}
