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

/** The columns of a report in CSV: those of a grade file first, since it can be submitted again. */
export function reportHeader(run: RunRecord): string[] {
  return ['member', hasPoints(run) ? 'points' : 'score', ...GRADE_FIELDS, ...REPORT_COLUMNS];
}

/** A row of a report in CSV. Texts that a spreadsheet would execute are marked. */
export function reportCells(run: RunRecord, row: RecordState): string[] {
  const grade = JSON.parse(row.body) as GradeBody;
  const { outcome } = storedRow(run.id, row);
  const fields = outcomeFields(outcome);
  const cells = [
    row.member,
    hasPoints(run) ? pointsOf(grade) : grade.score,
    ...GRADE_FIELDS.map((field) => grade[field]),
    row.line,
    fields.outcome,
    fields.status,
    fields.http,
    recordId(outcome),
    fields.error,
    fields.response,
  ];
  return cells.map((cell) => (typeof cell === 'string' ? escapeFormula(cell) : String(cell ?? '')));
}

/** The rows of a report for a terminal, with points as `12/20`. */
export function gradeReportTable(run: RunRecord, rows: readonly RecordState[]): Table {
  const reported = rows.map((row) => {
    const { outcome } = storedRow(run.id, row);
    return {
      row,
      outcome,
      fields: outcomeFields(outcome),
      grade: JSON.parse(row.body) as GradeBody,
    };
  });
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

type Graded = { readonly grade: GradeBody };

const POINTS: readonly ListColumn<Graded>[] = [
  {
    name: 'points',
    numeric: true,
    cell: ({ grade }) => `${pointsOf(grade)}/${grade.max_score}`,
  },
];

const SCORE: readonly ListColumn<Graded>[] = [
  { name: 'score', numeric: true, cell: ({ grade }) => grade.score },
  { name: 'max score', numeric: true, drop: 2, cell: ({ grade }) => grade.max_score },
];

/** The service's ID of an attempt; undefined where it recorded none. */
function recordId(outcome: Outcome | undefined): string | undefined {
  return (JSON.parse(attemptJson(outcome)) as { id: string } | null)?.id;
}
