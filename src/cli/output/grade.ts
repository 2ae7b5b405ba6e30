import { type GradeAttempt, isObject, numberAt, textAt } from '../../contract/index.ts';
import type { Table } from './table.ts';

/** One attempt as the service recorded it, a line for each field that has a value to show. */
export function attemptTable(record: GradeAttempt): Table {
  const fields: [string, string | number | undefined][] = [
    ['id', record.id],
    ['status', record.status],
    ['score', numberAt(record, 'score')],
    ['max_score', numberAt(record, 'max_score')],
    ['member', textAt(record, 'annotations', 'member')],
    ['location', textAt(record, 'annotations', 'location')],
    ['context', textAt(record, 'annotations', 'context')],
    ['submitted', textAt(record, 'submitted')],
    ['lineitem', textAt(record, 'lineitem')],
    ['activity_progress', textAt(record, 'activity_progress')],
    ['grading_progress', textAt(record, 'grading_progress')],
    ['comment', textAt(record, 'data', 'comment')],
    ['error', textAt(record, 'data', 'error')],
    ['source', textAt(record, 'data', 'source_type')],
  ];
  return {
    columns: ['field', 'value'],
    rows: fields.filter(([, value]) => value !== undefined && value !== ''),
  };
}

/** Why an attempt failed: the service's reason, and the LMS's own answer. */
export function failureText(record: GradeAttempt): string {
  return `the attempt was recorded as failed: ${reasonOf(record)}${lmsAnswer(record)}`;
}

/** The reason of a failed attempt, as the service gives it. */
export function reasonOf(record: unknown): string {
  return textAt(record, 'data', 'error') || 'no reason was given';
}

function lmsAnswer(record: GradeAttempt): string {
  const status = numberAt(record, 'data', 'response', 'status');
  if (status !== undefined) return `; the LMS answered ${status}`;
  return isObject(record.data?.response) ? '' : '; it never reached the LMS';
}
