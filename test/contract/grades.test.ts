import { describe, expect, test } from 'vitest';
import {
  ACTIVITY_PROGRESS,
  checkGradeBody,
  GRADING_PROGRESS,
  isGradeAttempt,
  scoreText,
} from '../../src/contract/grades.ts';
import { explainViolation, isCertain, refusal } from '../../src/contract/violations.ts';

const placesOf = (body: Record<string, unknown>): string[] =>
  checkGradeBody(body).map(({ code, path }) => `${code} ${path}`);
/** The status and words that the service answers a body with. */
const answerTo = (body: Record<string, unknown>): [number | undefined, string] | undefined => {
  const first = refusal(checkGradeBody(body));
  if (first === undefined) return undefined;
  const { status, message } = explainViolation(first);
  return [status, message];
};

describe('a body', () => {
  test('may only have a score', () => {
    expect(checkGradeBody({ score: 0.85 })).toEqual([]);
  });

  test('may have all fields', () => {
    expect(
      checkGradeBody({
        score: 0.85,
        max_score: 50,
        comment: 'Gut gemacht 😀',
        activity_progress: 'Submitted',
        grading_progress: 'Pending',
      }),
    ).toEqual([]);
  });

  test('is reported with all violations, in the order of the fields', () => {
    expect(
      placesOf({
        launch_id: 'l1',
        grading_progress: 'x',
        activity_progress: 'x',
        comment: 1,
        max_score: 0,
        score: 2,
        'a/b~c': 1,
      }),
    ).toEqual([
      'grade.score_range /score',
      'grade.max_score_range /max_score',
      'grade.comment_not_string /comment',
      'grade.activity_progress /activity_progress',
      'grade.grading_progress /grading_progress',
      'grade.launch_id /launch_id',
      'grade.unknown_field /a~1b~0c',
    ]);
  });

  test('that is empty only lacks the score', () => {
    expect(placesOf({})).toEqual(['grade.score_missing /score']);
  });
});

describe('score', () => {
  test.each([
    0,
    -0,
    Number.MIN_VALUE,
    0.5,
    1 - Number.EPSILON / 2,
    1,
    // What a text with more digits than a double holds is read as.
    Number('1.00000000000000000001'),
    Number('-1e-400'),
  ])('accepts %d', (score) => {
    expect(checkGradeBody({ score })).toEqual([]);
  });

  test.each([
    [-Number.MIN_VALUE, '-5e-324'],
    [-0.01, '-0.01'],
    [1 + Number.EPSILON, '1.0000000000000002'],
    [1.01, '1.01'],
    [85, '85'],
    [-1, '-1'],
    [NaN, 'NaN'],
    [Infinity, 'Infinity'],
    [-Infinity, '-Infinity'],
  ])('rejects %d, which is out of range', (score, value) => {
    expect(checkGradeBody({ score })).toEqual([
      { code: 'grade.score_range', path: '/score', params: { value } },
    ]);
    expect(answerTo({ score })).toEqual([422, 'score must be between 0 and 1']);
  });

  test.each([
    ['0.5', 'a string'],
    ['', 'a string'],
    [true, 'a boolean'],
    [false, 'a boolean'],
    [null, 'null'],
    [[0.5], 'an array'],
    [{}, 'an object'],
  ])('rejects %j, which is not a number', (score, found) => {
    expect(checkGradeBody({ score })).toEqual([
      { code: 'grade.score_not_number', path: '/score', params: { found } },
    ]);
    // A message of its own: the one about the range would send the caller looking the wrong way.
    expect(answerTo({ score })).toEqual([422, `score must be a number, not ${found}`]);
  });

  test('is required', () => {
    expect(answerTo({ max_score: 50 })).toEqual([422, 'score is required']);
  });
});

describe('max_score', () => {
  test.each([Number.MIN_VALUE, 0.5, 1, 50, Number.MAX_VALUE])('accepts %d', (maxScore) => {
    expect(checkGradeBody({ score: 1, max_score: maxScore })).toEqual([]);
  });

  test.each([0, -0, -Number.MIN_VALUE, -1, -Infinity, Number('1e-400')])(
    'rejects %d, which is not greater than 0',
    (maxScore) => {
      const body = { score: 1, max_score: maxScore };
      expect(placesOf(body)).toEqual(['grade.max_score_range /max_score']);
      expect(answerTo(body)).toEqual([422, 'max_score must be greater than 0']);
    },
  );

  test.each([
    ['50', 'a string'],
    [true, 'a boolean'],
    [[], 'an array'],
    [{}, 'an object'],
    // No JSON number, and not "zero or negative" either.
    [NaN, 'NaN'],
    [Number('1e400'), 'Infinity'],
  ])('rejects %s, which is not a number', (maxScore, found) => {
    const body = { score: 1, max_score: maxScore };
    expect(placesOf(body)).toEqual(['grade.max_score_not_number /max_score']);
    expect(answerTo(body)).toEqual([422, `max_score must be a number, not ${found}`]);
  });
});

describe('the progress fields', () => {
  test('have the values of the contract', () => {
    expect(ACTIVITY_PROGRESS).toEqual(['Completed', 'Submitted']);
    expect(GRADING_PROGRESS).toEqual(['FullyGraded', 'Pending']);
  });

  test.each(['Completed', 'Submitted'])('accept the activity_progress %s', (word) => {
    expect(checkGradeBody({ score: 1, activity_progress: word })).toEqual([]);
  });

  test.each(['FullyGraded', 'Pending'])('accept the grading_progress %s', (word) => {
    expect(checkGradeBody({ score: 1, grading_progress: word })).toEqual([]);
  });

  test.each([
    'completed',
    'COMPLETED',
    'Completed ',
    ' Completed',
    '',
    'FullyGraded',
    'Started',
    'toString',
    0,
    true,
    ['Completed'],
    {},
  ])('reject the activity_progress %j', (word) => {
    const body = { score: 1, activity_progress: word };
    expect(placesOf(body)).toEqual(['grade.activity_progress /activity_progress']);
    expect(answerTo(body)).toEqual([
      422,
      'activity_progress must be one of [Completed, Submitted]',
    ]);
  });

  test.each([
    'fullygraded',
    'fullyGraded',
    'Fully Graded',
    'PENDING',
    'PendingManual',
    '',
    'Completed',
    'NotReady',
    1,
    false,
    ['Pending'],
    {},
  ])('reject the grading_progress %j', (word) => {
    const body = { score: 1, grading_progress: word };
    expect(placesOf(body)).toEqual(['grade.grading_progress /grading_progress']);
    expect(answerTo(body)).toEqual([422, 'grading_progress must be one of [FullyGraded, Pending]']);
  });
});

describe('comment', () => {
  test.each([
    ['an empty text', ''],
    ['a word', 'ok'],
    ['100,000 characters', 'a'.repeat(100_000)],
    ['a NUL character', '\u0000'],
  ])('accepts %s', (_, comment) => {
    expect(checkGradeBody({ score: 1, comment })).toEqual([]);
  });

  test.each([
    [5, 'a number'],
    [false, 'a boolean'],
    [['ok'], 'an array'],
    [{}, 'an object'],
  ])('rejects %j', (comment, found) => {
    expect(placesOf({ score: 1, comment })).toEqual(['grade.comment_not_string /comment']);
    expect(answerTo({ score: 1, comment })).toEqual([
      422,
      `comment must be a string, not ${found}`,
    ]);
  });
});

describe('a warning', () => {
  test.each(['max_score', 'comment', 'activity_progress', 'grading_progress'])(
    'reports %s: null',
    (field) => {
      const found = checkGradeBody({ score: 1, [field]: null });
      expect(found).toEqual([{ code: 'grade.null_field', path: `/${field}`, params: { field } }]);
      expect(found.map(isCertain)).toEqual([false]);
      expect(refusal(found)).toBeUndefined();
    },
  );

  test('reports launch_id with its own code', () => {
    expect(placesOf({ score: 1, launch_id: 'l1' })).toEqual(['grade.launch_id /launch_id']);
    expect(answerTo({ score: 1, launch_id: 'l1' })).toBeUndefined();
  });

  test.each(['Score', 'maxScore', 'member', 'constructor', ''])(
    'reports the unknown field %j',
    (field) => {
      const found = checkGradeBody({ score: 1, [field]: 1 });
      expect(found).toEqual([
        { code: 'grade.unknown_field', path: `/${field}`, params: { field } },
      ]);
      expect(refusal(found)).toBeUndefined();
    },
  );

  test('reports __proto__ as an own field, which is not the score', () => {
    const body = JSON.parse('{"__proto__":{"score":1}}') as Record<string, unknown>;
    expect(placesOf(body)).toEqual([
      'grade.score_missing /score',
      'grade.unknown_field /__proto__',
    ]);
  });
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
