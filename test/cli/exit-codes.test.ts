import { describe, expect, test } from 'vitest';
import { EXIT, EXIT_CODES, exitMeaning, exitOfRefusal } from '../../src/cli/exit-codes.ts';

describe('exit codes', () => {
  test('are the documented ones', () => {
    expect(EXIT).toEqual({
      done: 0,
      unexpected: 1,
      usage: 2,
      invalid: 3,
      unauthenticated: 4,
      forbidden: 5,
      notFound: 6,
      refused: 7,
      unreachable: 8,
      failed: 9,
      inDoubt: 10,
      interrupted: 130,
    });
  });

  test.each([401, 403, 404, 422, 429])(
    'are explained by the status %d that causes them',
    (status) => {
      expect(exitMeaning(exitOfRefusal(status))).toMatch(new RegExp(`\\b${status}\\b`));
    },
  );

  test('are all explained', () => {
    expect(EXIT_CODES.map(({ code }) => code)).toEqual(Object.values(EXIT));
    expect(EXIT_CODES.filter(({ code }) => exitMeaning(code) === '')).toEqual([]);
  });
});
