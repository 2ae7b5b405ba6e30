import { type GradeAttempt, isObject, numberAt, textAt } from '../../contract/index.ts';
import { lmsWords, outcomeReason } from '../../grades/record-columns.ts';
import { stateCell, type Cell, factTable, type Table } from './table.ts';

/** The service's record of one attempt, with a line for each field that has a value. */
export function attemptTable(record: GradeAttempt): Table {
  const fields: [string, Cell][] = [
    ['id', record.id],
    ['status', stateCell(record.status)],
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
    ['response', record.status === 'failed' ? lmsWords(record) : undefined],
    ['source', textAt(record, 'data', 'source_type')],
  ];
  return factTable(
    ['field', 'value'],
    fields.filter(([, value]) => value !== ''),
  );
}

/** Why an attempt failed: the service's reason, and the LMS's own response. */
export function failureText(record: GradeAttempt): string {
  return `the attempt was recorded as failed: ${outcomeReason(record)}${lmsAnswer(record)}`;
}

function lmsAnswer(record: GradeAttempt): string {
  const response = lmsWords(record);
  if (response !== undefined) return `; ${response}`;
  return isObject(record.data?.response) ? '' : '; it never reached the LMS';
}
