import { gradeLedger } from '../session/ledger.ts';
import type { RecordState, RunRecord, State } from '../../ledger/ledger.ts';
import { rowJson } from '../output/grade-run.ts';
import type { Context } from '../runtime.ts';
import { refuseJson } from '../output/print.ts';
import { moreText, shownLimit } from '../output/notes.ts';
import { JsonList, type Result, type Results, type TablePages } from '../output/result.ts';
import { timeText } from '../output/units.ts';
import { mapped } from '../shared/first-of.ts';
import { resultsFor } from '../shared/write-output.ts';
import { findRun, countSelected } from './bulk/find-run.ts';
import type { GradeRunReportOptions } from './flags.ts';
import { REPORT_COLUMNS } from '../../grades/columns.ts';
import { RecordColumns } from '../../grades/record-columns.ts';
import { fillMember } from '../../contract/index.ts';
import { recordedScore } from '../../grades/selection.ts';
import { courseOf } from '../../grades/run-target.ts';
import { stateCell, type Table, listTable } from '../output/table.ts';

export function runReport(context: Context<GradeRunReportOptions>, id?: string): Promise<Results> {
  return resultsFor(context, (to) => reportOf(to, id));
}

async function reportOf(context: Context<GradeRunReportOptions>, id?: string): Promise<Result> {
  const { options } = context;
  const asCsv = options.receipt ? '--receipt' : options.csv && '--csv';
  if (asCsv) refuseJson(context, asCsv);
  const run = await findRun(context, id);
  const states = chosenStates(options);
  const limit = asCsv ? options.limit : shownLimit(context);
  const shown = limit === Infinity ? { states } : { states, limit };
  const pages = (await gradeLedger(context)).pages(run.id, shown);
  if (options.receipt) return { show: await receipt(context, run, pages) };
  const csv = { pages: mapped(pages, (rows) => csvTable(run, rows)), csv: csvTable(run, []) };
  if (asCsv) return { show: csv };
  // Those of the CSV are all that can be chosen.
  const tableOfPage = context.fields ? csvTable : gradeReportTable;
  const total = countSelected(run, { states });
  return {
    json: new JsonList(
      mapped(pages, (rows) => rows.map((row) => rowJson(RecordColumns.of(run.id, row), row.body))),
    ),
    show: { terminal: { pages: mapped(pages, (rows) => tableOfPage(run, rows)) }, pipe: csv },
    notes: [total === 0 ? 'no matching grades' : undefined, ...moreText(context, total)],
  };
}

type Pages = AsyncIterable<readonly RecordState[]>;

/** What the run has done to each grade, to be filed: the digest is that of its plan. */
async function receipt(context: Context, run: RunRecord, pages: Pages): Promise<TablePages> {
  const ledger = await gradeLedger(context);
  const tableOfPage = async (rows: readonly RecordState[]): Promise<Table> => {
    const members = rows.map(({ member }) => ({ url: fillMember(run.target.url, member), member }));
    const known = await ledger.knownGrades(members, run.id);
    const before = known.map(({ last }) => last && recordedScore(last));
    return receiptTable(run, rows, before);
  };
  return {
    pages: mapped(pages, tableOfPage),
    csv: receiptTable(run, []),
    comment: `run ${run.id}, digest ${run.digest}`,
  };
}

function chosenStates({ failed, inDoubt, notSent }: GradeRunReportOptions): State[] | undefined {
  const states: State[] = [
    ...(failed ? (['failed', 'refused'] as const) : []),
    ...(inDoubt ? (['in_doubt'] as const) : []),
    ...(notSent ? (['not_sent'] as const) : []),
  ];
  return states.length === 0 ? undefined : states;
}

const GRADE_FIELDS = ['max_score', 'comment', 'activity_progress', 'grading_progress'] as const;

type ReportedRun = Pick<RunRecord, 'id' | 'options'>;

/** Whether a run was made from points, which its report repeats. */
function hasPoints({ options }: ReportedRun): boolean {
  return options.points === true;
}

function columnsOf(run: ReportedRun, rows: readonly RecordState[]): RecordColumns[] {
  return rows.map((row) => RecordColumns.of(run.id, row));
}

/** A report as CSV: the columns of a grade file first, since it can be submitted again. */
export function csvTable(run: ReportedRun, rows: readonly RecordState[]): Table {
  const grade = hasPoints(run) ? 'points' : 'score';
  return listTable(columnsOf(run, rows), ['member', grade, ...GRADE_FIELDS, ...REPORT_COLUMNS]);
}

/** The rows of a receipt; `before` has the score that was recorded before the run, if any. */
export function receiptTable(
  run: Pick<RunRecord, 'id' | 'options' | 'target'>,
  rows: readonly RecordState[],
  before: readonly (number | undefined)[] = [],
): Table {
  const { target } = run;
  const scoreBefore = new Map(rows.map(({ line }, index) => [line, before[index]]));
  return listTable(columnsOf(run, rows), [
    { name: 'time', cell: ({ source }) => source.time && timeText(source.time) },
    'member',
    { name: 'course', cell: () => courseOf(target) },
    { name: 'location', cell: () => target.location },
    'score',
    'points',
    { name: 'before', cell: ({ line }) => scoreBefore.get(line ?? 0) },
    {
      name: 'outcome',
      cell: ({ source, outcome }) => (source.state === 'failed' ? 'failed' : outcome),
    },
    'attempt',
    'evidence',
  ]);
}

/** The rows of a report for a terminal, with points as `12/20`. */
function gradeReportTable(run: RunRecord, rows: readonly RecordState[]): Table {
  const number = { numeric: true } as const;
  return listTable(columnsOf(run, rows), [
    { name: 'line', ...number, drop: 3 },
    { name: 'member', whole: true },
    ...(hasPoints(run)
      ? [{ name: 'points', ...number, cell: pointsOutOf }]
      : [
          { name: 'score', ...number, cell: ({ score }: RecordColumns) => score },
          { name: 'max score', ...number, drop: 2, cell: (each: RecordColumns) => each.max_score },
        ]),
    { name: 'outcome', whole: true, cell: ({ source }) => source.state && stateCell(source.state) },
    { name: 'http', ...number, drop: 4 },
    { name: 'attempt', whole: true, drop: 1 },
    'error',
    'response',
    { name: 'evidence', drop: 5 },
  ]);
}

function pointsOutOf({ points, max_score: max }: RecordColumns): string {
  return `${points}/${max}`;
}
