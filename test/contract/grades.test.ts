import { expect, test } from 'vitest';
import {
  checkGradeBody,
  fractionOfPoints,
  isGradeAttempt,
  scoreText,
} from '../../src/contract/grades.ts';

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

const RECORD = { id: 'a1', status: 'success' };
test.each<[value: unknown, expected: boolean]>([
  [RECORD, true],
  [{ ...RECORD, status: 'failed', data: { error: 'location has no line item' } }, true],
  [{ ...RECORD, extra: [] }, true],
  [undefined, false],
  [null, false],
  [[RECORD], false],
  [{ id: 'a1' }, false],
  [{ status: 'success' }, false],
  [{ ...RECORD, id: '' }, false],
  [{ ...RECORD, id: 1 }, false],
  [{ ...RECORD, status: 'pending' }, false],
])('%j is an attempt record: %s', (value, expected) => {
  expect(isGradeAttempt(value)).toBe(expected);
});

test.each([
  [17, 20, 0.85],
  [0.1, 0.3, 1 / 3],
  [12.1, 36.3, 1 / 3],
  [1.5, 2.25, 2 / 3],
  [1e-7, 0.5, 2e-7],
])('%d of %d points is the fraction %d', (points, possible, fraction) => {
  expect(fractionOfPoints(points, possible)).toBe(fraction);
});

test.each([
  [0.85, 20, '17 of 20'],
  [1 / 3, 0.3, '0.1 of 0.3'],
  [0.85, null, '0.85'],
  [0, 20, '0 of 20'],
])('the score %d of %j points is shown as %s', (score, max, text) => {
  expect(scoreText(score, max)).toBe(text);
});
