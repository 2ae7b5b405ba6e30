import type { RowRecord, RunRecord } from '../../../ledger/ledger.ts';
import { plannedRow, plannedTable } from '../../output/grade-run.ts';
import type { Runtime, Context } from '../../runtime.ts';
import { paginate } from '../../shared/paginate.ts';
import { note, printTable, writeJson } from '../../ui.ts';
import type { RowSelection } from './run.ts';

const PAGE_ROWS = 500;

/** Shows the rows of a run that would be sent, each as it stands now; sends nothing. */
export async function printDryRun(
  context: Context,
  run: RunRecord,
  { states, limit, warning }: RowSelection,
): Promise<void> {
  const { id, digest, target } = run;
  const pages = paginate((await context.ledger()).rows(id, { states, limit }), PAGE_ROWS);
  if (context.options.json) {
    const { url } = target;
    const head = { dry_run: true, run: id, digest, method: 'POST', url, warning };
    await printDocument(context, head, pages);
  } else {
    for await (const rows of pages) {
      await printTable(context, plannedTable(rows));
      if (context.stdout.broken) return;
    }
  }
  await note(context, 'dry run: nothing was sent');
}

/** One document, written as its rows come: there may be a million. */
async function printDocument(
  { stdout }: Runtime,
  head: object,
  pages: AsyncIterable<readonly RowRecord[]>,
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
