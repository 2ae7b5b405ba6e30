import { type Command, InvalidArgumentError } from 'commander';
import { durationSeconds } from '../../arguments/duration.ts';
import type { Runtime } from '../../runtime.ts';
import { group } from '../group.ts';

export function registerClock(parent: Command, runtime: Runtime): void {
  const clock = group(parent, 'clock', 'the clock of the emulator');
  clock
    .command('show')
    .summary('what time it is there')
    .description('Show the time of the emulator.')
    .action(async (_options, command: Command) => {
      const { runClock } = await import('../../emulator/clock.ts');
      await runClock(runtime, command.optsWithGlobals());
    });
  clock
    .command('advance')
    .summary('let time pass')
    .description('Move the clock on. Tokens that are over by then have ended.')
    .argument('<duration>', 'such as 90s, 15m, 12h, 3d or 1h30m', seconds)
    .action(async (advance_seconds, _options, command: Command) => {
      const { runClock } = await import('../../emulator/clock.ts');
      await runClock(runtime, command.optsWithGlobals(), { advance_seconds });
    });
  clock
    .command('set')
    .summary('make it a certain time')
    .description('Set the clock; it goes on from there. A token once ended stays ended.')
    .argument('<iso>', 'such as 2026-10-13T08:00:00Z; UTC where it names no zone', instant)
    .action(async (set, _options, command: Command) => {
      const { runClock } = await import('../../emulator/clock.ts');
      await runClock(runtime, command.optsWithGlobals(), { set });
    });
}

function seconds(text: string): number {
  const value = durationSeconds(text);
  if (value !== undefined) return value;
  throw new InvalidArgumentError('a duration such as 90s, 15m, 12h, 3d or 1h30m is needed.');
}

const INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

function instant(text: string): string {
  const parts = INSTANT.exec(text);
  const zoned = parts?.[1] === undefined || parts[4] !== undefined ? text : `${text}Z`;
  if (parts !== null && !Number.isNaN(Date.parse(zoned))) return zoned;
  throw new InvalidArgumentError('an ISO 8601 time such as 2026-10-13T08:00:00Z is needed.');
}
