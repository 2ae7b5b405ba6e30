import type { GradeAttempt } from '../../contract/index.ts';
import type { Table } from './table.ts';

/** One attempt as the service recorded it, a line a field. */
export function attemptTable(record: GradeAttempt): Table {
  const { data, annotations } = record;
  const fields: [string, string | number | null | undefined][] = [
    ['id', record.id],
    ['status', record.status],
    ['score', record.score],
    ['max_score', record.max_score],
    ['member', annotations?.member],
    ['location', annotations?.location],
    ['context', annotations?.context],
    ['submitted', record.submitted],
    ['lineitem', record.lineitem],
    ['activity_progress', record.activity_progress],
    ['grading_progress', record.grading_progress],
    ['comment', data?.comment],
    ['error', data?.error],
    ['source', data?.source_type],
  ];
  return {
    columns: ['field', 'value'],
    rows: fields.filter(([, value]) => value !== undefined && value !== null && value !== ''),
  };
}

/** Why an attempt failed: the service's reason, and the LMS's own answer. */
export function failureText(record: GradeAttempt): string {
  const reason = record.data?.error || 'no reason was given';
  const answer = record.data?.response;
  const lms = answer ? `; the LMS answered ${answer.status}` : '; it never reached the LMS';
  return `the attempt was recorded as failed: ${reason}${lms}`;
}
