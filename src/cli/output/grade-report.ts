import { REPORT_COLUMNS } from '../../grades/columns.ts';
import type { GradeBody } from '../../contract/index.ts';
import type { Outcome, RowRecord } from '../../ledger/ledger.ts';
import { escapeFormula } from '../../grades/formula.ts';
import { stateCell } from './cells.ts';
import { attemptJson, storedRow, outcomeFields } from './grade-run.ts';
import type { Table } from './table.ts';

const GRADE_FIELDS = [
  'score',
  'max_score',
  'comment',
  'activity_progress',
  'grading_progress',
] as const;

/** The columns of a report in CSV: those of a file of grades first, since it can be fed back. */
export const REPORT_HEADER: readonly string[] = ['member', ...GRADE_FIELDS, ...REPORT_COLUMNS];

/** One row of a report in CSV. Texts that a spreadsheet would run are marked. */
export function reportCells(run: number, row: RowRecord): string[] {
  const grade = JSON.parse(row.body) as GradeBody;
  const { outcome } = storedRow(run, row);
  const told = outcomeFields(outcome);
  const cells = [
    row.member,
    ...GRADE_FIELDS.map((field) => grade[field]),
    row.line,
    told.outcome,
    told.status,
    told.http,
    recordId(outcome),
    told.error,
    told.response,
  ];
  return cells.map((cell) => (typeof cell === 'string' ? escapeFormula(cell) : String(cell ?? '')));
}

/** Rows of a report for a terminal; `run` is their run's number. */
export function reportTable(run: number, rows: readonly RowRecord[]): Table {
  return {
    columns: [
      { name: 'line', numeric: true, drop: 3 },
      { name: 'member', whole: true },
      { name: 'score', numeric: true },
      { name: 'max score', numeric: true, drop: 2 },
      { name: 'outcome', whole: true },
      { name: 'http', numeric: true, drop: 4 },
      { name: 'attempt', whole: true, drop: 1 },
      'error',
      'response',
    ],
    rows: rows.map((row) => {
      const { score, max_score } = JSON.parse(row.body) as GradeBody;
      const { outcome } = storedRow(run, row);
      const { http, error, response } = outcomeFields(outcome);
      const result = [stateCell(row.state), http, recordId(outcome), error, response];
      return [row.line, row.member, score, max_score, ...result];
    }),
  };
}

/** The service's ID of an attempt; undefined where it recorded none. */
function recordId(outcome: Outcome | undefined): string | undefined {
  return (JSON.parse(attemptJson(outcome)) as { id: string } | null)?.id;
}
