import { REPORT_COLUMNS } from '../../grades/columns.ts';
import type { GradeBody } from '../../contract/index.ts';
import type { RowRecord } from '../../ledger/ledger.ts';
import { guarded } from '../../grades/formula.ts';
import { attemptJson, storedRow, outcomeFields } from './grade-run.ts';

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
  const record = JSON.parse(attemptJson(outcome)) as { id: string } | null;
  const cells = [
    row.member,
    ...GRADE_FIELDS.map((field) => grade[field]),
    row.line,
    told.outcome,
    told.status,
    told.http,
    record?.id,
    told.error,
    told.response,
  ];
  return cells.map((cell) => (typeof cell === 'string' ? guarded(cell) : String(cell ?? '')));
}
