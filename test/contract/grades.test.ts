import { describe, expect, test } from 'vitest';
import {
  ACTIVITY_PROGRESS,
  checkGradeBody,
  GRADING_PROGRESS,
  isGradeAttempt,
  scoreText,
} from '../../src/contract/grades.ts';

test('the progress fields have the values of the contract', () => {
  expect(ACTIVITY_PROGRESS).toEqual(['Completed', 'Submitted']);
  expect(GRADING_PROGRESS).toEqual(['FullyGraded', 'Pending']);
});

// No JSON numbers: a library caller can pass them.
test.each([
  [{ score: NaN }, 'grade.score_range'],
  [{ score: Infinity }, 'grade.score_range'],
  [{ score: 1, max_score: NaN }, 'grade.max_score_not_number'],
  [{ score: 1, max_score: Infinity }, 'grade.max_score_not_number'],
  [{ score: 1, max_score: -Infinity }, 'grade.max_score_range'],
])('checkGradeBody of %o reports %s', (body, code) => {
  expect(checkGradeBody(body).map((found) => found.code)).toEqual([code]);
});

describe('isGradeAttempt', () => {
  const record = { id: 'a1', status: 'success' };

  test.each([
    ['a bare record', record],
    [
      'a failed record',
      { id: 'a1', status: 'failed', data: { error: 'location has no line item' } },
    ],
    ['a record with an extra field', { ...record, extra: [] }],
  ])('accepts %s', (_name, value) => {
    expect(isGradeAttempt(value)).toBe(true);
  });

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['an array', [record]],
    ['a string', 'success'],
    ['a record without an id', { status: 'success' }],
    ['an empty id', { id: '', status: 'success' }],
    ['a number as id', { id: 1, status: 'success' }],
    ['a record without a status', { id: 'a1' }],
    ['an unknown status', { id: 'a1', status: 'pending' }],
    ['a status in capitals', { id: 'a1', status: 'SUCCESS' }],
    ['an envelope around a record', { data: record }],
  ])('rejects %s', (_name, value) => {
    expect(isGradeAttempt(value)).toBe(false);
  });
});

test.each([
  [0.85, 20, '17 of 20'],
  [1 / 3, 0.3, '0.1 of 0.3'],
  [0.85, null, '0.85'],
  [0, 20, '0 of 20'],
])('the score %d of %j points is shown as %s', (score, max, text) => {
  expect(scoreText(score, max)).toBe(text);
});
