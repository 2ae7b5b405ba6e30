import { gradeLedger } from '../session/ledger.ts';
import type { RecordState, RunRecord, State } from '../../ledger/ledger.ts';
import { UsageError } from '../../errors.ts';
import { escapeLines } from '../output/escape.ts';
import { gradeReportTable, reportCsv } from '../output/grade-report.ts';
import { rowJson, storedRow } from '../output/grade-run.ts';
import type { Runtime, Context } from '../runtime.ts';
import { noteMore, shownLimit } from '../shared/newest.ts';
import { paginate } from '../../ledger/pages.ts';
import { printTo } from '../shared/write-output.ts';
import { note, printTable, writeJson } from '../ui.ts';
import { findRun, rowsOf } from './bulk/find-run.ts';
import type { GradeRunReportOptions } from './flags.ts';

export function runReport(
  context: Context<GradeRunReportOptions & { output?: string }>,
  id?: string,
): Promise<void> {
  return printTo(context, context.options.output, (to) => printReport(to, id));
}

async function printReport(context: Context<GradeRunReportOptions>, id?: string): Promise<void> {
  const { options } = context;
  if (options.csv && options.json) {
    throw new UsageError('--csv and --json exclude each other', 'use one of them');
  }
  const run = await findRun(context, id);
  const states = chosenStates(options);
  const isCsv = options.csv || !context.stdout.isTerminal;
  const limit = isCsv ? options.limit : shownLimit(context);
  const shown = limit === Infinity ? { states } : { states, limit };
  const pages = paginate((await gradeLedger(context)).rows(run.id, shown), PAGE_ROWS);
  if (options.json) await printDocument(context, run, pages);
  else if (isCsv) await printCsv(context, run, pages);
  else {
    await printTables(context, run, pages);
    await noteMore(context, rowsOf(run, { states }));
  }
}

const PAGE_ROWS = 500;

function chosenStates({ failed, inDoubt, notSent }: GradeRunReportOptions): State[] | undefined {
  const states: State[] = [
    ...(failed ? (['failed', 'refused'] as const) : []),
    ...(inDoubt ? (['in_doubt'] as const) : []),
    ...(notSent ? (['not_sent'] as const) : []),
  ];
  return states.length === 0 ? undefined : states;
}

type Pages = AsyncIterable<readonly RecordState[]>;

/** A table for each page: a run has more rows than memory should hold. */
async function printTables(context: Context, run: RunRecord, pages: Pages): Promise<void> {
  let isEmpty = true;
  for await (const rows of pages) {
    isEmpty = false;
    await printTable(context, gradeReportTable(run, rows));
    if (context.stdout.broken) return;
  }
  if (isEmpty) await note(context, 'no matching grades');
}

async function printCsv(runtime: Runtime, run: RunRecord, pages: Pages): Promise<void> {
  const { stringify } = await import('csv-stringify/sync');
  const { isTerminal } = runtime.stdout;
  const print = (rows: readonly (readonly string[])[]): Promise<void> => {
    const csv = stringify(rows as string[][]);
    return runtime.stdout.write(isTerminal ? escapeLines(csv) : csv);
  };
  const { header, cellsOf } = reportCsv(run);
  await print([header]);
  for await (const rows of pages) {
    await print(rows.map(cellsOf));
    if (runtime.stdout.broken) return;
  }
}

async function printDocument(runtime: Runtime, run: RunRecord, pages: Pages): Promise<void> {
  let before = '[';
  for await (const rows of pages) {
    const items = rows.map((row) => rowJson(storedRow(run.id, row), row.body));
    const json = before + items.join(',\n');
    await writeJson(runtime.stdout, json);
    if (runtime.stdout.broken) return;
    before = ',\n';
  }
  await runtime.stdout.write(before === '[' ? '[]\n' : ']\n');
}
