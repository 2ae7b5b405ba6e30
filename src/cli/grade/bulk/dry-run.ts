import { withoutQuery } from '../../../contract/index.ts';
import type { RowRecord, RunRecord } from '../../../ledger/ledger.ts';
import { plannedRow, plannedTable } from '../../output/grade-run.ts';
import type { GlobalOptions, Runtime } from '../../runtime.ts';
import { note, printTable } from '../../ui.ts';
import type { SendPart } from './run.ts';

const PAGE_ROWS = 500;

/** Shows the rows of a run that would be sent, each as it stands now; sends nothing. */
export async function showPart(
  runtime: Runtime,
  options: GlobalOptions,
  run: RunRecord,
  part: SendPart,
): Promise<void> {
  if (options.json) await printDocument(runtime, run, part);
  else
    for await (const rows of pages(runtime, run, part))
      await printTable(runtime, plannedTable(rows));
  await note(runtime, options, 'dry run: nothing was sent');
}

/** One document, written as its rows come: there may be a million. */
async function printDocument(runtime: Runtime, run: RunRecord, part: SendPart): Promise<void> {
  const { id, digest, target } = run;
  const url = withoutQuery(target.url);
  const { warning } = part;
  const head = { dry_run: true, run: id, digest, method: 'POST', url, warning };
  let before = `${JSON.stringify(head).slice(0, -1)},"rows":[`;
  for await (const rows of pages(runtime, run, part)) {
    await runtime.stdout.write(before + rows.map(plannedRow).join(',\n'));
    before = ',\n';
  }
  await runtime.stdout.write(before === ',\n' ? ']}\n' : `${before}]}\n`);
}

/** Some rows at a time, as long as somebody reads them. */
async function* pages(
  runtime: Runtime,
  run: RunRecord,
  { states, limit }: SendPart,
): AsyncGenerator<RowRecord[]> {
  let page: RowRecord[] = [];
  for await (const row of (await runtime.ledger()).rows(run.id, { states, limit })) {
    page.push(row);
    if (page.length < PAGE_ROWS) continue;
    yield page;
    if (runtime.stdout.broken) return;
    page = [];
  }
  if (page.length > 0) yield page;
}
