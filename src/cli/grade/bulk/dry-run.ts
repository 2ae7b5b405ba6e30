import { gradeLedger } from '../../session/ledger.ts';
import type { RecordState, RunRecord } from '../../../ledger/ledger.ts';
import { plannedRow, plannedTable } from '../../output/grade-run.ts';
import { numberText } from '../../output/units.ts';
import type { Runtime, Context } from '../../runtime.ts';
import { paginate } from '../../../ledger/pages.ts';
import { note, printTable, writeJson } from '../../ui.ts';
import type { RowSelection } from './run.ts';

const PAGE_ROWS = 500;

/** Prints the rows of a run that would be sent, each with its current state; sends nothing. */
export async function printPlannedRun(
  context: Context,
  run: RunRecord,
  { states, limit, warning }: RowSelection,
): Promise<void> {
  const { id, digest, target } = run;
  const pages = paginate(
    (await gradeLedger(context)).rows(id, { states, limit, sendable: true }),
    PAGE_ROWS,
  );
  if (context.options.json) {
    const { url } = target;
    const head = { dry_run: true, run: id, digest, method: 'POST', url, warning };
    await printDocument(context, head, pages);
  } else {
    await printRows(context, pages);
    if (context.stdout.broken) return;
  }
  await note(context, 'dry run: nothing was sent');
}

const SHOWN_ON_TERMINAL = 20;

/** The rows as a table: on a terminal the first ones, and the number of further ones. */
async function printRows(
  context: Context,
  pages: AsyncIterable<readonly RecordState[]>,
): Promise<void> {
  const { isTerminal } = context.stdout;
  let seen = 0;
  for await (const rows of pages) {
    const shown = isTerminal ? rows.slice(0, Math.max(0, SHOWN_ON_TERMINAL - seen)) : rows;
    if (shown.length > 0) await printTable(context, plannedTable(shown));
    seen += rows.length;
    if (context.stdout.broken) return;
  }
  if (isTerminal && seen > SHOWN_ON_TERMINAL) {
    await note(context, `… and ${numberText(seen - SHOWN_ON_TERMINAL)} more; --json shows all`);
  }
}

/** One document, written as its rows come: there may be a million. */
async function printDocument(
  { stdout }: Runtime,
  head: object,
  pages: AsyncIterable<readonly RecordState[]>,
): Promise<void> {
  const write = (json: string): Promise<void> => writeJson(stdout, json);
  await write(`${JSON.stringify(head).slice(0, -1)},"rows":[`);
  let before = '';
  for await (const rows of pages) {
    await write(before + rows.map(plannedRow).join(',\n'));
    if (stdout.broken) return;
    before = ',\n';
  }
  await write(']}\n');
}
