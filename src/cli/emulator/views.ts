import type { Taken } from '../../emulator/index.ts';
import { InterruptedError, UsageError } from '../../errors.ts';
import type { Context } from '../runtime.ts';
import { note, writeJson } from '../ui.ts';
import { controlLines } from './control.ts';
import type { EmulatorListOptions, EmulatorEventsOptions } from './flags.ts';
import { runRequest } from './request.ts';

type Part = 'members' | 'tokens' | 'rows' | 'files' | 'attempts' | 'gradebook';

export async function runList(context: Context<EmulatorListOptions>, what: Part): Promise<void> {
  const { search, course, location, member, row, live, limit, after } = context.options;
  if (row !== undefined && what !== 'files') {
    throw new UsageError('--row is for files only', 'use --search to narrow other lists');
  }
  const operation = `GET ${what === 'files' && row === undefined ? 'file-sets' : what}` as const;
  const query = { search, course, location, member, row, live: live || undefined, limit, after };
  await runRequest(context, operation, query as Taken[typeof operation]);
}

/** A line of JSON for each event, for other programs to read. */
export async function runEvents(context: Context<EmulatorEventsOptions>): Promise<void> {
  const { stdout, options } = context;
  for await (const line of controlLines(context, 'GET events', { after: options.after })) {
    await writeJson(stdout, `${line}\n`);
    if (stdout.broken) return;
  }
  if (context.interrupt.aborted) throw new InterruptedError('interrupted');
  await note(context, 'the emulator has stopped');
}
