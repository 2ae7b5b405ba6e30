import { gradeLedger } from '../session/ledger.ts';
import type { RecordState, RunRecord, RunTarget, State } from '../../ledger/ledger.ts';
import { rowJson } from '../output/grade-run.ts';
import type { Context } from '../runtime.ts';
import { refuseJson } from '../output/print.ts';
import { moreText, shownLimit } from '../output/notes.ts';
import { JsonList, type Result, type Results, type TablePages } from '../output/result.ts';
import { exactTime } from '../output/units.ts';
import { mapped } from '../shared/first-of.ts';
import { resultsFor } from '../shared/write-output.ts';
import { findRun, countSelected } from './bulk/find-run.ts';
import type { GradeRunReportOptions } from './flags.ts';
import { REPORT_COLUMNS } from '../../grades/columns.ts';
import { RecordColumns, type RecordSource } from '../../grades/record-columns.ts';
import { fillMember } from '../../contract/index.ts';
import { recordedScore } from '../../grades/selection.ts';
import { courseOf } from '../../grades/run-target.ts';
import { type ListColumns, tableOf } from '../output/columns.ts';
import { stateCell, type Table } from '../output/table.ts';

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
    const receipts = rows.map((row, index) => {
      const last = known[index]?.last;
      const { source } = RecordColumns.of(run.id, row);
      const before = last && recordedScore(last);
      return new RecordColumns({ ...source, target: run.target, before });
    });
    return tableOf(RECEIPT, receipts);
  };
  return {
    pages: mapped(pages, tableOfPage),
    csv: tableOf(RECEIPT, []),
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

type ReportedRun = Pick<RunRecord, 'id' | 'options'>;

/** Whether a run was made from points, which its report repeats. */
function hasPoints({ options }: ReportedRun): boolean {
  return options.points === true;
}

function columnsOf(run: ReportedRun, rows: readonly RecordState[]): RecordColumns[] {
  return rows.map((row) => RecordColumns.of(run.id, row));
}

const GRADE_FIELDS = ['max_score', 'comment', 'activity_progress', 'grading_progress'] as const;

/** The columns of a grade file first, since the report can be submitted again. */
function csvColumns(grade: 'points' | 'score'): ListColumns {
  const names = ['member', grade, ...GRADE_FIELDS, ...REPORT_COLUMNS];
  return Object.fromEntries(names.map((name) => [name, {}]));
}

function csvTable(run: ReportedRun, rows: readonly RecordState[]): Table {
  return tableOf(csvColumns(hasPoints(run) ? 'points' : 'score'), columnsOf(run, rows));
}

/** A record of a run, and the score that was recorded before it, if any. */
type Receipt = RecordColumns<
  RecordSource & { readonly target: RunTarget; readonly before: number | undefined }
>;

const RECEIPT = {
  time: { made: ({ source }: Receipt) => source.time && exactTime(source.time) },
  member: {},
  course: { made: ({ source }: Receipt) => courseOf(source.target) },
  location: { made: ({ source }: Receipt) => source.target.location },
  score: {},
  points: {},
  before: { made: ({ source }: Receipt) => source.before },
  outcome: {
    made: ({ source, outcome }: Receipt) => (source.state === 'failed' ? 'failed' : outcome),
  },
  attempt: {},
  evidence: {},
} satisfies ListColumns;

/** All that a report can have. */
export const REPORTED = { ...csvColumns('points'), ...csvColumns('score'), ...RECEIPT };

const TERMINAL_GRADE = {
  points: {
    points: {
      numeric: true,
      made: ({ points, max_score: max }: RecordColumns) => `${points}/${max}`,
    },
  },
  score: { score: { numeric: true }, max_score: { numeric: true, drop: 2 } },
};

/** The rows of a report for a terminal, with points as `12/20`. */
function gradeReportTable(run: RunRecord, rows: readonly RecordState[]): Table {
  const columns = {
    line: { numeric: true, drop: 3 },
    member: { whole: true },
    ...TERMINAL_GRADE[hasPoints(run) ? 'points' : 'score'],
    outcome: {
      whole: true,
      made: ({ source }: RecordColumns) => source.state && stateCell(source.state),
    },
    http: { numeric: true, drop: 4 },
    attempt: { whole: true, drop: 1 },
    error: {},
    response: {},
    evidence: { drop: 5 },
  } satisfies ListColumns;
  return tableOf(columns, columnsOf(run, rows));
}
