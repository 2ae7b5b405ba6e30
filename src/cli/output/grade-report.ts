import { REPORT_COLUMNS } from '../../grades/columns.ts';
import type { GradeBody } from '../../contract/index.ts';
import type { Outcome, RecordState, RunRecord } from '../../ledger/ledger.ts';
import { escapeFormula } from '../../grades/formula.ts';
import { stateCell } from './cells.ts';
import { attemptJson, storedRow, outcomeFields } from './grade-run.ts';
import { pointsOf } from './grade-points.ts';
import type { Table } from './table.ts';

const GRADE_FIELDS = ['max_score', 'comment', 'activity_progress', 'grading_progress'] as const;

/** Whether a run was made from points, which its report keeps. */
function hasPoints({ options }: RunRecord): boolean {
  return options.points === true;
}

/** The columns of a report in CSV: those of a file of grades first, since it can be fed back. */
export function reportHeader(run: RunRecord): string[] {
  return ['member', hasPoints(run) ? 'points' : 'score', ...GRADE_FIELDS, ...REPORT_COLUMNS];
}

/** One row of a report in CSV. Texts that a spreadsheet would run are marked. */
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

/** Rows of a report for a terminal, with points as `12/20`. */
export function gradeReportTable(run: RunRecord, rows: readonly RecordState[]): Table {
  const max = { name: 'max score', numeric: true, drop: 2 } as const;
  return {
    columns: [
      { name: 'line', numeric: true, drop: 3 },
      { name: 'member', whole: true },
      { name: hasPoints(run) ? 'points' : 'score', numeric: true },
      ...(hasPoints(run) ? [] : [max]),
      { name: 'outcome', whole: true },
      { name: 'http', numeric: true, drop: 4 },
      { name: 'attempt', whole: true, drop: 1 },
      'error',
      'response',
    ],
    rows: rows.map((row) => {
      const grade = JSON.parse(row.body) as GradeBody;
      const score = hasPoints(run)
        ? [`${pointsOf(grade)}/${grade.max_score}`]
        : [grade.score, grade.max_score];
      const { outcome } = storedRow(run.id, row);
      const { http, error, response } = outcomeFields(outcome);
      const result = [stateCell(row.state), http, recordId(outcome), error, response];
      return [row.line, row.member, ...score, ...result];
    }),
  };
}

/** The service's ID of an attempt; undefined where it recorded none. */
function recordId(outcome: Outcome | undefined): string | undefined {
  return (JSON.parse(attemptJson(outcome)) as { id: string } | null)?.id;
}
