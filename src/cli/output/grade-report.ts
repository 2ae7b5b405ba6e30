import { REPORT_COLUMNS } from '../../grades/columns.ts';
import type { GradeBody } from '../../contract/index.ts';
import type { Outcome, RecordState, RunRecord } from '../../ledger/ledger.ts';
import { escapeFormula } from '../../grades/formula.ts';
import { stateCell } from './cells.ts';
import { attemptJson, storedRow, outcomeFields } from './grade-run.ts';
import { pointsOf } from './grade-points.ts';
import { type ListColumn, listTable, type Table } from './table.ts';

const GRADE_FIELDS = ['max_score', 'comment', 'activity_progress', 'grading_progress'] as const;

/** Whether a run was made from points, which its report repeats. */
function hasPoints({ options }: RunRecord): boolean {
  return options.points === true;
}

/** A row of a report, with its grade and its outcome. */
interface Reported {
  readonly row: RecordState;
  readonly grade: GradeBody;
  readonly outcome: Outcome | undefined;
  readonly fields: ReturnType<typeof outcomeFields>;
}

function reportedOf(run: RunRecord, row: RecordState): Reported {
  const { outcome } = storedRow(run.id, row);
  const grade = JSON.parse(row.body) as GradeBody;
  return { row, grade, outcome, fields: outcomeFields(outcome) };
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
};

/** The columns of a report in CSV: those of a grade file first, since it can be submitted again. */
function csvColumns(run: RunRecord): { readonly name: string; readonly cell: CsvCell }[] {
  return [
    { name: 'member', cell: ({ row }) => row.member },
    hasPoints(run)
      ? { name: 'points', cell: ({ grade }) => pointsOf(grade) }
      : { name: 'score', cell: ({ grade }) => grade.score },
    ...GRADE_FIELDS.map((name) => ({ name, cell: ({ grade }: Reported) => grade[name] })),
    ...REPORT_COLUMNS.map((name) => ({ name, cell: REPORT_CELLS[name] })),
  ];
}

/** A report in CSV: its header, and the cells of a row. Texts that a spreadsheet would execute are marked. */
export function reportCsv(run: RunRecord) {
  const columns = csvColumns(run);
  return {
    header: columns.map(({ name }) => name),
    cellsOf: (row: RecordState): string[] => {
      const reported = reportedOf(run, row);
      const cells = columns.map(({ cell }) => cell(reported));
      return cells.map((cell) =>
        typeof cell === 'string' ? escapeFormula(cell) : String(cell ?? ''),
      );
    },
  };
}

/** The rows of a report for a terminal, with points as `12/20`. */
export function gradeReportTable(run: RunRecord, rows: readonly RecordState[]): Table {
  const reported = rows.map((row) => reportedOf(run, row));
  return listTable(reported, [
    { name: 'line', numeric: true, drop: 3, cell: ({ row }) => row.line },
    { name: 'member', whole: true, cell: ({ row }) => row.member },
    ...(hasPoints(run) ? POINTS : SCORE),
    { name: 'outcome', whole: true, cell: ({ row }) => stateCell(row.state) },
    { name: 'http', numeric: true, drop: 4, cell: ({ fields }) => fields.http },
    { name: 'attempt', whole: true, drop: 1, cell: ({ outcome }) => recordId(outcome) },
    { name: 'error', cell: ({ fields }) => fields.error },
    { name: 'response', cell: ({ fields }) => fields.response },
  ]);
}

const POINTS: readonly ListColumn<Reported>[] = [
  {
    name: 'points',
    numeric: true,
    cell: ({ grade }) => `${pointsOf(grade)}/${grade.max_score}`,
  },
];

const SCORE: readonly ListColumn<Reported>[] = [
  { name: 'score', numeric: true, cell: ({ grade }) => grade.score },
  { name: 'max score', numeric: true, drop: 2, cell: ({ grade }) => grade.max_score },
];

/** The service's ID of an attempt; undefined if it recorded none. */
function recordId(outcome: Outcome | undefined): string | undefined {
  return (JSON.parse(attemptJson(outcome)) as { id: string } | null)?.id;
}
