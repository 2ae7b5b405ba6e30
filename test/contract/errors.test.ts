import { describe, expect, test } from 'vitest';
import {
  type Area,
  causeOf,
  codeInText,
  ERRORS,
  hintFor,
  recognise,
} from '../../src/contract/errors.ts';
import { type Code, explainViolation, violation } from '../../src/contract/violations.ts';

const AREAS: Area[] = ['storage', 'files', 'grade', 'provision'];

describe('the error table', () => {
  // "Errors": the statuses of both tables. 404 of a grade, and 401 of the finish call, are readings.
  test.each<[Area, number[]]>([
    ['storage', [401, 403, 404, 422]],
    ['files', [401, 403, 404, 422]],
    ['grade', [401, 403, 404, 422]],
    ['provision', [401]],
  ])('has one row for each status of %s', (area, statuses) => {
    const rows = ERRORS.filter((row) => row.area === area).map((row) => row.status);
    expect(rows).toEqual(statuses);
  });

  test.each<[Area, number, RegExp[]]>([
    ['storage', 401, [/missing/, /ended/, /12 hours/, /tool/, /code/, /membership/]],
    ['storage', 403, [/student writing a shared row/, /another member's row/, /no member of/]],
    ['storage', 404, [/does not exist/, /does not belong to the tool/]],
    ['storage', 422, [/malformed body/, /patch operation/, /unprovisioned/, /size limit/]],
    ['files', 404, [/no file has the key/, /does not exist/, /does not belong to the tool/]],
    ['files', 422, [/quota of 100 files/, /total size/, /unprovisioned/, /malformed/]],
    ['grade', 401, [/no credential/, /unknown or rotated API key/, /suspended or archived tool/]],
    ['grade', 401, [/ended launch token/, /API key on an \/account\/v1\/users\/ address/]],
    ['grade', 403, [/another tool/, /not placed/, /student's token was aimed at someone else/]],
    ['grade', 422, [/outside its rule/, /not an assessment/]],
  ])('names the causes of the contract for %s %d', (area, status, causes) => {
    for (const cause of causes) expect(causeOf(area, status)).toMatch(cause);
  });

  test.each(AREAS)('has no row for other statuses of %s', (area) => {
    for (const status of [200, 400, 402, 409, 429, 500]) {
      expect(causeOf(area, status)).toBeUndefined();
    }
  });
});

/** Responses as the contract words or describes them, and their codes. */
const ANSWERS: [area: Area, status: number, message: string, code: Code][] = [
  ['grade', 422, 'score must be between 0 and 1', 'grade.score_range'],
  ['grade', 422, 'max_score must be greater than 0', 'grade.max_score_range'],
  ...['[Submitted, Completed]', '[...]', "['Submitted', 'Completed']"].flatMap(
    (values): [Area, number, string, Code][] =>
      (['activity_progress', 'grading_progress'] as const).map((field) => {
        return ['grade', 422, `${field} must be one of ${values}`, `grade.${field}`];
      }),
  ),
  ['grade', 422, 'grade passback is only allowed for assessment locations', 'grade.not_assessment'],
  ['grade', 401, 'Missing Bearer API key', 'auth.missing_grade'],
  ['grade', 401, 'Invalid API key', 'auth.key_unknown'],
  ['grade', 401, 'App is suspended', 'auth.suspended'],
  ['grade', 403, 'API key is for tool t1, not tool t2', 'auth.other_tool'],
  ['grade', 403, 'tool t1 has no placement of location l1 in context c1', 'auth.not_placed'],
  ['grade', 403, '', 'auth.not_this_member'],
  ['storage', 401, 'Missing Bearer token', 'auth.missing'],
  ['provision', 401, 'Missing Bearer token', 'auth.missing'],
  ['storage', 401, 'App is suspended', 'auth.suspended'],
  ['storage', 422, 'context row is not provisioned yet', 'row.unprovisioned'],
  ['storage', 422, 'row still unprovisioned', 'row.unprovisioned'],
  ['storage', 422, 'JSON object over its size limit', 'row.too_large'],
];

describe('recognise', () => {
  test.each(ANSWERS)('reads %s %d %j as %s', (area, status, message, code) => {
    expect(recognise(area, status, message)).toBe(code);
  });

  // "Messages say tool where earlier versions said app; a client must not match on the word app."
  test.each<[string, number, Code]>([
    ['# is suspended', 401, 'auth.suspended'],
    ['# is archived', 401, 'auth.suspended'],
    ['API key is for # x, not # y', 403, 'auth.other_tool'],
    ['# x has no placement of location l in context c', 403, 'auth.not_placed'],
  ])('accepts any word for a tool: %s', (pattern, status, code) => {
    for (const word of ['App', 'app', 'Tool', 'tool']) {
      expect(recognise('grade', status, pattern.replaceAll('#', word))).toBe(code);
    }
  });

  test.each<[Area, number, string]>([
    ['grade', 422, ''],
    ['grade', 422, 'the max_score must be greater than 0'],
    ['grade', 400, 'score must be between 0 and 1'],
    ['grade', 403, 'Invalid API key'],
    ['storage', 422, 'score must be between 0 and 1'],
    ['storage', 401, 'Invalid API key'],
    ['storage', 422, 'malformed body'],
    ['storage', 422, 'the level was provisioned'],
    // A file over its limit is no row over its limit.
    ['files', 422, 'size 26214401 is over the 25 MB limit of one file'],
  ])('does not recognize %s %d %j', (area, status, message) => {
    expect(recognise(area, status, message)).toBeUndefined();
  });

  test('a 422 to a read of a row is that of an unprovisioned one, whatever its message', () => {
    const read = { isRead: true };
    expect(recognise('storage', 422, 'Unprocessable Entity', read)).toBe('row.unprovisioned');
    expect(recognise('files', 422, '', read)).toBe('row.unprovisioned');
    expect(recognise('storage', 422, '')).toBeUndefined();
  });

  test('a 403 without a message to an API key is not about a student', () => {
    expect(recognise('grade', 403, '', { isOfKey: true })).toBeUndefined();
  });

  // The messages that the contract fixes, as our own table words them, survive the way back.
  test.each(ANSWERS)('of %s %d %j knows the message of our code', (area, _status, _text, code) => {
    const { status, message } = explainViolation(violation(code, ''));
    expect(recognise(area, status ?? 0, message)).toBe(code);
  });
});

describe('codeInText', () => {
  test.each<[text: string, area: Area | undefined, code: Code | undefined]>([
    ['it says: score must be between 0 and 1.', undefined, 'grade.score_range'],
    ['it says: score must be between 0 and 1.', 'grade', 'grade.score_range'],
    ['it says: score must be between 0 and 1.', 'storage', undefined],
    ['401: App is suspended', 'files', 'auth.suspended'],
    ['the row is not provisioned', 'files', 'row.unprovisioned'],
    ['missing bearer', 'storage', 'auth.missing'],
    ['missing bearer', undefined, 'auth.missing_grade'],
    ['', 'grade', undefined],
  ])('of %j about %s is %s', (text, area, code) => {
    expect(codeInText(text, area)).toBe(code);
  });
});

describe('hintFor', () => {
  // A code out of an answer comes without figures; its hint must do without them.
  test.each(ANSWERS)('of %s %d %j has no missing words', (area, status, message) => {
    const hint = hintFor(area, status, recognise(area, status, message));
    expect(hint).toMatch(/\w/);
    expect(hint).not.toMatch(/undefined|NaN|\[object/);
  });

  test.each<[Area, number, RegExp]>([
    ['storage', 401, /token from a new launch/],
    ['grade', 401, /token from a new launch/],
    ['storage', 403, /staff launch/],
    ['grade', 429, /nothing took effect/],
    ['grade', 403, /^$/],
    ['storage', 404, /^$/],
  ])('of %s %d without a code is %s', (area, status, hint) => {
    expect(hintFor(area, status, undefined) ?? '').toMatch(hint);
  });
});
