import { describe, expect, test } from 'vitest';
import { EXIT, EXIT_CODES, exitMeaning, exitOfRefusal } from '../../src/cli/exit-codes.ts';

describe('exit codes', () => {
  test.each([401, 403, 404, 422, 429])('are explained by their cause, status %d', (status) => {
    expect(exitMeaning(exitOfRefusal(status))).toMatch(new RegExp(`\\b${status}\\b`));
  });

  test('are all explained', () => {
    expect(EXIT_CODES.map(({ code }) => code)).toEqual(Object.values(EXIT));
    expect(EXIT_CODES.filter(({ code }) => exitMeaning(code) === '')).toEqual([]);
  });
});
