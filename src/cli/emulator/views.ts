import { InterruptedError, UsageError } from '../../errors.ts';
import type { Context } from '../runtime.ts';
import { note } from '../output/notes.ts';
import { printJsonLines } from '../output/print.ts';
import { controlLines } from './control.ts';
import type { EmulatorListOptions, EmulatorEventsOptions } from './flags.ts';
import { runRequest } from './request.ts';

type List = 'members' | 'tokens' | 'rows' | 'files' | 'attempts' | 'gradebook';

/** The lists that a flag is for. */
const LISTS_OF_FLAG = {
  course: ['members'],
  location: ['attempts', 'gradebook'],
  member: ['attempts'],
  row: ['files'],
  live: ['tokens'],
} as const satisfies Partial<Record<keyof EmulatorListOptions, readonly List[]>>;

export async function runList(
  context: Context<EmulatorListOptions>,
  asked: List | 'grades',
): Promise<void> {
  const what = asked === 'grades' ? 'gradebook' : asked;
  const { search, limit, after, ...narrowing } = context.options;
  checkFlags(narrowing, what);
  const { course, location, member, row, live } = narrowing;
  const operation = `GET ${what === 'files' && row === undefined ? 'file-sets' : what}` as const;
  const query = { search, course, location, member, row, live, limit, after };
  await runRequest(context, operation, query);
}

function checkFlags(given: Partial<Record<string, unknown>>, what: List): void {
  for (const [flag, lists] of Object.entries<readonly List[]>(LISTS_OF_FLAG)) {
    if (given[flag] === undefined || lists.includes(what)) continue;
    const hint = 'use --search to narrow other lists';
    throw new UsageError(`--${flag} is for ${lists.join(' and ')} only`, hint);
  }
}

/** A line of JSON for each event, for other programs to read. */
export async function runEvents(context: Context<EmulatorEventsOptions>): Promise<void> {
  const { stdout, options } = context;
  for await (const line of controlLines(context, 'GET events', { after: options.after })) {
    await printJsonLines(context, [line]);
    if (stdout.broken) return;
  }
  if (context.interrupt.aborted) throw new InterruptedError('interrupted');
  await note(context, 'the emulator has stopped');
}
