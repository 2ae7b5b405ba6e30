import { InvalidArgumentError, type Command } from 'commander';
import { parseInstant } from '../../contract/instant.ts';
import { durationSeconds } from '../arguments/duration.ts';
import type { Runtime } from '../runtime.ts';
import { group, verb } from './group.ts';

export function registerClock(parent: Command, runtime: Runtime): void {
  const clock = group(parent, 'clock', "show or set the emulator's clock");
  clock
    .command('show')
    .summary('show the time of the emulator')
    .description('Show the time of the emulator.')
    .action(
      verb(runtime, async (context) => {
        const { runClock } = await import('../emulator/actions.ts');
        await runClock(context);
      }),
    );
  clock
    .command('advance')
    .summary('advance the clock')
    .description('Advance the clock. Tokens that expire by then end.')
    .argument('<duration>', 'such as 90s, 15m, 12h, 3d or 1h30m', seconds)
    .action(
      verb(runtime, async (context, advance_seconds) => {
        const { runClock } = await import('../emulator/actions.ts');
        await runClock(context, { advance_seconds });
      }),
    );
  clock
    .command('reset')
    .summary("set the clock back to the machine's")
    .description("Set the clock back to the machine's. Tokens that have ended stay ended.")
    .action(
      verb(runtime, async (context) => {
        const { runClock } = await import('../emulator/actions.ts');
        await runClock(context, { machine: true });
      }),
    );
  clock
    .command('set')
    .summary('set the clock')
    .description('Set the clock; it runs on from there. Tokens that have ended stay ended.')
    .argument('<iso>', 'such as 2026-10-13T08:00:00Z; UTC if no time zone is given', instant)
    .action(
      verb(runtime, async (context, set) => {
        const { runClock } = await import('../emulator/actions.ts');
        await runClock(context, { set });
      }),
    );
}

function seconds(text: string): number {
  const value = durationSeconds(text);
  if (value !== undefined) return value;
  throw new InvalidArgumentError('expected a duration such as 90s, 15m, 12h, 3d or 1h30m.');
}

const INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

function instant(text: string): string {
  const parts = INSTANT.exec(text);
  const zoned = parts?.[1] === undefined || parts[4] !== undefined ? text : `${text}Z`;
  if (parts !== null && !Number.isNaN(parseInstant(zoned))) return zoned;
  throw new InvalidArgumentError(
    'expected an ISO 8601 time of a day that exists, such as 2026-10-13T08:00:00Z.',
  );
}
