import type { Answers, Taken } from '../../emulator/index.ts';
import type { LimitOptions } from '../arguments/numbers.ts';
import * as output from '../output/emulator.ts';
import type { Table } from '../output/table.ts';
import type { Context } from '../runtime.ts';
import { note, noteMore, shownLimit } from '../output/notes.ts';
import { printJson, printTable, printText } from '../output/print.ts';
import { control } from './control.ts';

/** Prints what an operation answered to `taken`. */
type Printer<Asked extends keyof Answers> = (
  context: Context<LimitOptions>,
  answer: Answers[Asked],
  taken: Taken[Asked],
) => Promise<void>;

function clock(context: Context, { iso }: Answers['GET clock']): Promise<void> {
  return printText(context, iso);
}

function faults(context: Context, { faults: pending }: Answers['GET faults']): Promise<void> {
  if (pending.length === 0) return note(context, 'no pending faults');
  return printTable(context, output.faultTable(pending));
}

/** Prints a page of a list, and how to print the next one. */
function page<Answer extends object>(tableOf: (answer: Answer) => Table) {
  return async (context: Context, answer: Answer): Promise<void> => {
    await printTable(context, tableOf(answer));
    const { next = null, total } = answer as { next?: string | null; total?: number };
    if (next !== null) await note(context, `more: --after ${next} (${total} in all)`);
  };
}

const PRINTERS = {
  'GET clock': clock,
  'POST clock': clock,
  'GET faults': faults,
  'POST fault': faults,
  'POST fault/remove': faults,
  'POST fault/clear': faults,
  'GET members': page(output.memberPage),
  'GET tokens': page(output.tokenPage),
  'GET rows': page(output.rowPage),
  'GET file-sets': page(output.filePage),
  'GET files': page(output.rowFiles),
  'GET attempts': page(output.attemptPage),
  'GET gradebook': page(output.gradePage),
  'GET summary': (context, summary) => printTable(context, output.stateSummaryTable(summary)),
  'GET state': printState,
  'POST fixture': printJson,
  'POST lms': (context, { lms }) => printTable(context, output.lmsTable(lms)),
  'POST member/remove': (context, { ended }, { member }) =>
    note(context, `removed ${member}; tokens ended: ${ended}`),
  'POST reset': (context) => note(context, 'the emulator was reset; saved launches have ended'),
  'POST token/end': (context, { ended }) =>
    note(context, ended === 0 ? 'the token had already ended' : 'the token has ended'),
  'POST tool': (context, { tool: { id, status }, ended }) =>
    note(context, `tool ${id} is ${status}; tokens ended: ${ended}`),
  'POST adopt': (context, { version, ended }, { course, tool }) =>
    note(context, `${course} runs version ${version} of ${tool}; tokens ended: ${ended}`),
} satisfies { readonly [Asked in keyof Answers]?: Printer<Asked> };

export type PrintedOperation = keyof typeof PRINTERS;

/** Makes one control request, and prints its answer. */
export async function runRequest<Asked extends PrintedOperation>(
  context: Context<LimitOptions>,
  operation: Asked,
  taken: Taken[Asked],
): Promise<void> {
  const answer = await control(context, operation, taken);
  if (context.options.json) await printJson(context, answer);
  else await (PRINTERS[operation] as Printer<Asked>)(context, answer, taken);
}

async function printState(
  context: Context<LimitOptions>,
  state: Answers['GET state'],
): Promise<void> {
  for (const [index, table] of output.stateTables(state).entries()) {
    if (index > 0 && context.stdout.isTerminal) await context.stdout.write('\n');
    await printTable(context, { ...table, rows: table.rows.slice(-shownLimit(context)) });
    await noteMore(context, table.rows.length);
  }
}
