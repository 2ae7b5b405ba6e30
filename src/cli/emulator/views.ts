import type { Answers, Taken } from '../../emulator/index.ts';
import { InterruptedError, UsageError } from '../../errors.ts';
import {
  attemptPage,
  filePage,
  gradePage,
  memberPage,
  rowFiles,
  rowPage,
  stateSummaryTable,
  tokenPage,
} from '../output/emulator.ts';
import type { Table } from '../output/table.ts';
import type { Context } from '../runtime.ts';
import { note, printJson, printTable, writeJson } from '../ui.ts';
import { control, controlLines } from './control.ts';
import type { EmulatorListOptions, EmulatorEventsOptions } from './flags.ts';

export async function runSummary(context: Context): Promise<void> {
  const summary = await control(context, 'GET summary');
  if (context.options.json) await printJson(context, summary);
  else await printTable(context, stateSummaryTable(summary));
}

type ListOperation =
  | 'GET members'
  | 'GET tokens'
  | 'GET rows'
  | 'GET file-sets'
  | 'GET files'
  | 'GET attempts'
  | 'GET gradebook';

const TABLES: { readonly [Name in ListOperation]: (answer: Answers[Name]) => Table } = {
  'GET members': memberPage,
  'GET tokens': tokenPage,
  'GET rows': rowPage,
  'GET file-sets': filePage,
  'GET files': rowFiles,
  'GET attempts': attemptPage,
  'GET gradebook': gradePage,
};

export async function runList(context: Context<EmulatorListOptions>, what: string): Promise<void> {
  const { options } = context;
  if (options.row !== undefined && what !== 'files') {
    throw new UsageError('--row is for files only', 'use --search to narrow other lists');
  }
  const files = options.row === undefined ? 'file-sets' : 'files';
  await printList(context, `GET ${what === 'files' ? files : what}` as ListOperation);
}

async function printList<Asked extends ListOperation>(
  context: Context<EmulatorListOptions>,
  operation: Asked,
): Promise<void> {
  const { search, course, location, member, row, live, limit, after } = context.options;
  const query = { search, course, location, member, row, live: live || undefined, limit, after };
  const answer = await control(context, operation, query as Taken[Asked]);
  if (context.options.json) {
    await printJson(context, answer);
    return;
  }
  await printTable(context, TABLES[operation](answer));
  if ('next' in answer && answer.next !== null) {
    await note(context, `more: --after ${answer.next} (${answer.total} in all)`);
  }
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
