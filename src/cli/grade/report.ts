import { gradeLedger } from '../session/ledger.ts';
import type { Outcome, RecordState, RunRecord, State } from '../../ledger/ledger.ts';
import { UsageError } from '../../errors.ts';
import {
  attemptJson,
  evidenceText,
  outcomeFields,
  rowJson,
  storedRow,
} from '../output/grade-run.ts';
import type { Context } from '../runtime.ts';
import { jsonArrayWriter, printTable } from '../output/print.ts';
import { noteMore, shownLimit, note } from '../output/notes.ts';
import { timeText } from '../output/units.ts';
import { csvWriter } from '../shared/csv-writer.ts';
import { printTo } from '../shared/write-output.ts';
import { findRun, rowsOf } from './bulk/find-run.ts';
import type { GradeRunReportOptions } from './flags.ts';
import { REPORT_COLUMNS } from '../../grades/columns.ts';
import { fillMember, type GradeBody, pointsOf } from '../../contract/index.ts';
import { recordedScore } from '../../grades/selection.ts';
import { courseOf } from '../../grades/run-target.ts';
import { stateCell, type Table, listTable } from '../output/table.ts';

export function runReport(context: Context<GradeRunReportOptions>, id?: string): Promise<void> {
  return printTo(context, context.options.output, (to) => printReport(to, id));
}

async function printReport(context: Context<GradeRunReportOptions>, id?: string): Promise<void> {
  const { options } = context;
  const asCsv = options.receipt ? '--receipt' : options.csv && '--csv';
  if (asCsv && options.json) {
    throw new UsageError(`${asCsv} and --json cannot be used together`, 'use one of them');
  }
  const run = await findRun(context, id);
  const states = chosenStates(options);
  const isCsv = asCsv || !context.stdout.isTerminal;
  const limit = isCsv ? options.limit : shownLimit(context);
  const shown = limit === Infinity ? { states } : { states, limit };
  const pages = (await gradeLedger(context)).pages(run.id, shown);
  if (options.json) await printDocument(context, run, pages);
  else if (options.receipt) await printReceipt(context, run, pages);
  else if (isCsv) await printCsv(context, run, pages);
  else {
    await printTables(context, run, pages);
    await noteMore(context, rowsOf(run, { states }));
  }
}

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
    // Those of the CSV are all that can be chosen.
    const tableOf = context.fields ? csvTable : gradeReportTable;
    await printTable(context, tableOf(run, rows));
    if (context.stdout.broken) return;
  }
  if (isEmpty) await note(context, 'no matching grades');
}

async function printCsv(context: Context, run: RunRecord, pages: Pages): Promise<void> {
  const csv = await csvWriter(context, csvTable(run, []));
  for await (const rows of pages) {
    await csv.add(csvTable(run, rows));
    if (context.stdout.broken) return;
  }
}

/** What the run has done to each grade, to be filed: the digest is that of its plan. */
async function printReceipt(context: Context, run: RunRecord, pages: Pages): Promise<void> {
  const ledger = await gradeLedger(context);
  const csv = await csvWriter(context, receiptTable(run, []));
  for await (const rows of pages) {
    const members = rows.map(({ member }) => ({ url: fillMember(run.target.url, member), member }));
    const known = await ledger.knownGrades(members, run.id);
    const before = known.map(({ last }) => last && recordedScore(last));
    await csv.add(receiptTable(run, rows, before));
    if (context.stdout.broken) return;
  }
  await csv.comment(`run ${run.id}, digest ${run.digest}`);
}

async function printDocument(context: Context, run: RunRecord, pages: Pages): Promise<void> {
  const array = jsonArrayWriter(context);
  for await (const rows of pages) {
    await array.add(rows.map((row) => rowJson(storedRow(run.id, row), row.body)));
    if (context.stdout.broken) return;
  }
  await array.end();
}

const GRADE_FIELDS = ['max_score', 'comment', 'activity_progress', 'grading_progress'] as const;

type ReportedRun = Pick<RunRecord, 'id' | 'options'>;

/** Whether a run was made from points, which its report repeats. */
function hasPoints({ options }: ReportedRun): boolean {
  return options.points === true;
}

interface Reported {
  readonly row: RecordState;
  readonly grade: GradeBody;
  readonly outcome: Outcome | undefined;
  readonly fields: ReturnType<typeof outcomeFields>;
}

function reportedOf(run: ReportedRun, row: RecordState): Reported {
  const { outcome, evidence } = storedRow(run.id, row);
  const grade = JSON.parse(row.body) as GradeBody;
  return { row, grade, outcome, fields: outcomeFields(outcome, evidence) };
}

type CsvCell = (reported: Reported) => string | number | null | undefined;

const REPORT_CELLS: Readonly<Record<(typeof REPORT_COLUMNS)[number], CsvCell>> = {
  line: ({ row }) => row.line,
  outcome: ({ fields }) => fields.outcome,
  status: ({ fields }) => fields.status,
  http: ({ fields }) => fields.http,
  attempt: ({ outcome }) => recordId(outcome),
  error: ({ fields }) => fields.error,
  response: ({ fields }) => fields.response,
  evidence: ({ row }) => evidenceText(row.evidence),
};

/** A report as CSV: the columns of a grade file first, since it can be submitted again. */
export function csvTable(run: ReportedRun, rows: readonly RecordState[]): Table {
  return listTable(
    rows.map((row) => reportedOf(run, row)),
    [
      { name: 'member', cell: ({ row }) => row.member },
      hasPoints(run)
        ? { name: 'points', cell: ({ grade }) => pointsOf(grade) }
        : { name: 'score', cell: ({ grade }) => grade.score },
      ...GRADE_FIELDS.map((name) => ({ name, cell: ({ grade }: Reported) => grade[name] })),
      ...REPORT_COLUMNS.map((name) => ({ name, cell: REPORT_CELLS[name] })),
    ],
  );
}

/** The rows of a receipt; `before` has the score that was recorded before the run, if any. */
export function receiptTable(
  run: Pick<RunRecord, 'id' | 'options' | 'target'>,
  rows: readonly RecordState[],
  before: readonly (number | undefined)[] = [],
): Table {
  const { target } = run;
  return listTable(
    rows.map((row, index) => ({ ...reportedOf(run, row), before: before[index] })),
    [
      { name: 'time', cell: ({ row }) => row.time && timeText(row.time) },
      { name: 'member', cell: ({ row }) => row.member },
      { name: 'course', cell: () => courseOf(target) },
      { name: 'location', cell: () => target.location },
      { name: 'score', cell: ({ grade }) => grade.score },
      { name: 'points', cell: ({ grade }) => grade.max_score && pointsOf(grade) },
      'before',
      {
        name: 'outcome',
        cell: ({ row, fields }) => (row.state === 'failed' ? 'failed' : fields.outcome),
      },
      { name: 'attempt', cell: ({ outcome }) => recordId(outcome) },
      { name: 'evidence', cell: ({ row }) => evidenceText(row.evidence) },
    ],
  );
}

/** The rows of a report for a terminal, with points as `12/20`. */
function gradeReportTable(run: RunRecord, rows: readonly RecordState[]): Table {
  const reported = rows.map((row) => reportedOf(run, row));
  return listTable(reported, [
    { name: 'line', numeric: true, drop: 3, cell: ({ row }) => row.line },
    { name: 'member', whole: true, cell: ({ row }) => row.member },
    ...(hasPoints(run)
      ? [{ name: 'points', numeric: true, cell: pointsOutOf }]
      : [
          { name: 'score', numeric: true, cell: ({ grade }: Reported) => grade.score },
          {
            name: 'max score',
            numeric: true,
            drop: 2,
            cell: ({ grade }: Reported) => grade.max_score,
          },
        ]),
    { name: 'outcome', whole: true, cell: ({ row }) => stateCell(row.state) },
    { name: 'http', numeric: true, drop: 4, cell: ({ fields }) => fields.http },
    { name: 'attempt', whole: true, drop: 1, cell: ({ outcome }) => recordId(outcome) },
    { name: 'error', cell: ({ fields }) => fields.error },
    { name: 'response', cell: ({ fields }) => fields.response },
    { name: 'evidence', drop: 5, cell: ({ row }) => evidenceText(row.evidence) },
  ]);
}

function pointsOutOf({ grade }: Reported): string {
  return `${pointsOf(grade)}/${grade.max_score}`;
}

/** The service's ID of an attempt; undefined if it recorded none. */
function recordId(outcome: Outcome | undefined): string | undefined {
  return (JSON.parse(attemptJson(outcome)) as { id: string } | null)?.id;
}
