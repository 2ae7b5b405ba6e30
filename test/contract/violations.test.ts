import { describe, expect, test } from 'vitest';
import {
  type Code,
  CODES,
  explainViolation,
  type Params,
  refusal,
  violation,
} from '../../src/contract/violations.ts';

const ALL = Object.keys(CODES) as Code[];
/** "403, no message": what the service answers a student who grades someone else. */
const WORDLESS: Code = 'auth.not_this_member';
/** What a figure leaves in a sentence when it is missing, or is an object. */
const HOLE = /undefined|\[object|\$\{/;

/** A value for a parameter: one of its kind, else its name. */
const SAMPLES: Params = { index: 3, size: 524_289, limit: 524_288, count: 100, total: 104_857_601 };
const realistic = new Proxy<Params>(SAMPLES, {
  get: (samples, name) => samples[String(name)] ?? `the ${String(name)}`,
});

describe('each code', () => {
  test.each(ALL)('%s has a message, a rule and a hint', (code) => {
    const { message, rule, hint } = explainViolation({ code, path: '', params: realistic });
    for (const words of code === WORDLESS ? [rule, hint] : [message, rule, hint]) {
      expect(words).toMatch(/\w/);
      expect(words).not.toMatch(HOLE);
      expect(words).toBe(words.trim());
    }
  });

  test('has a message, except for the one without a message in the contract', () => {
    const wordless = ALL.filter((code) => CODES[code].message(realistic) === '');
    expect(wordless).toEqual([WORDLESS]);
  });

  test('is named by its area and a word', () => {
    expect(ALL.filter((code) => !/^[a-z_]+\.[a-z_]+$/.test(code))).toEqual([]);
  });

  test('is an error if it has a status, except for warnings that the emulator refuses', () => {
    const doubtful = ALL.filter((code) => {
      const { status, severity } = CODES[code];
      return severity === 'warning' && status !== undefined;
    });
    expect(doubtful).toEqual(['patch.op_unsupported']);
  });

  test('of a grade address has no status, because nothing is sent', () => {
    const addresses = ALL.filter((code) => code.startsWith('grade_url.'));
    expect(addresses.length).toBe(5);
    expect(addresses.map((code) => [CODES[code].status, CODES[code].severity])).toEqual(
      addresses.map(() => [undefined, 'error']),
    );
  });
});

test('a violation is explained by the row of its code', () => {
  const each = violation('file.too_large', '/size', { size: 2, limit: 1, label: '1 B' });
  expect(explainViolation(each)).toEqual({
    message: 'size 2 exceeds the 1 B limit of a file',
    rule: CODES['file.too_large'].rule,
    hint: 'the limit is 1 bytes',
    severity: 'error',
    status: 422,
  });
});

describe('refusal', () => {
  const warning = violation('grade.unknown_field', '/x', { field: 'x' });
  const first = violation('grade.score_missing', '/score');
  const second = violation('grade.comment_not_string', '/comment', { found: 'a number' });

  test('returns the first violation that has a status', () => {
    expect(refusal([warning, first, second])).toBe(first);
    expect(refusal([second, first])).toBe(second);
  });

  test('may return a warning that the emulator rejects', () => {
    const open = violation('patch.op_unsupported', '/patch/0/op', { index: 0, op: 'move' });
    expect(refusal([warning, open])).toBe(open);
  });

  test('returns undefined if nothing is rejected', () => {
    expect(refusal([])).toBeUndefined();
    expect(refusal([warning])).toBeUndefined();
  });
});
