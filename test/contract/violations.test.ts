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

  // The report knows a refusal by its code and message alone.
  test.each(ALL.filter((code) => /^(auth|body|row|patch|files?)\./.test(code)))(
    'of a call, %s, has a hint that needs no figures',
    (code) => expect(CODES[code].hint({})).not.toMatch(HOLE),
  );

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
    hint: 'the limit is 26214400 bytes',
    severity: 'error',
    status: 422,
  });
});

const TWICE = { member: 'm', first: 2 };
const DIFFER = { member: 'm', count: 2, differs: 'task', values: 'a, b', flag: '--where task=a' };
const CSV_UTF8 = 'save the file as "CSV UTF-8"';

test.each<[Code, Params, message: string, hint: string]>([
  ['grades.encoding', {}, 'not valid UTF-8', CSV_UTF8],
  ['grades.encoding', { found: 'a workbook' }, 'is a workbook, not CSV', 'a spreadsheet program'],
  ['grades.syntax', { reason: 'a reason' }, 'cannot be read: a reason', ''],
  ['grades.syntax', { cell: 'a cell' }, 'a closing quote: a cell', ''],
  ['grades.column_unknown', { nearest: 'one of a' }, '', 'one of a; or rename it'],
  ['grades.column_unknown', { reading: 'read it so' }, '', 'read it so'],
  ['grades.column_missing', {}, '', 'needs the columns member and score'],
  ['grades.column_missing', { present: 'a, b' }, '', 'the columns of the file are a, b'],
  ['grades.column_missing', { present: 'a, b', reading: 'read it so' }, '', 'read it so'],
  ['grades.member_twice', TWICE, 'duplicate member "m", first on line 2', 'keep one'],
  ['grades.member_twice', DIFFER, '2 lines of m differ in task: a, b', '--where task=a'],
  ['grades.not_number', { field: 'score', text: '85 %' }, '', 'use the fraction: 0.85'],
  ['grades.not_number', { field: 'score', text: '85%', column: 'Total' }, '', '--map Total=score'],
  ['grades.not_number', { field: 'points', text: '85 %' }, '', 'use points, or a fraction'],
  ['grades.not_number', { field: 'score', text: '17/20' }, '', 'use 17 in a column points, and 20'],
  ['grades.not_number', { field: 'points', text: '7.5' }, '', 'remove the quotes: 7.5'],
  ['grades.not_number', { field: 'points', text: '7,5' }, '', '7.5, or save the file with'],
  ['grades.not_number', { field: 'points', text: '1,250' }, '', '1.250, or no comma: 1250'],
  ['grades.not_number', { field: 'points', text: '1,250.5' }, '', 'use no comma: 1250.5'],
  ['grades.not_number', { field: 'score', text: 'A' }, '', 'a number such as 0.85'],
  ['grades.not_number', { field: 'points', text: 'A' }, '', 'a number such as 42.5'],
  ['grade.score_range', {}, '', '42.5 of 50 points is the fraction 0.85'],
  ['grade.score_range', { value: 8, column: 'Total' }, '', '8 is outside; 42.5'],
  ['grade.score_range', { column: 'Total' }, '', '--map Total=points --max-score POINTS'],
  ['patch.index_out_of_bounds', { index: 0, length: 1 }, 'has 1 element', ''],
  ['patch.index_out_of_bounds', { index: 0, length: 2 }, 'has 2 elements', ''],
  ['body.syntax', {}, '', 'send strict JSON'],
  ['body.syntax', { encoding: 'UTF-16' }, '', 'save it as UTF-8'],
  ['body.syntax', { levels: 1000 }, '', 'at most 1000 levels'],
  ['body.not_object', {}, '', 'a row is one JSON object'],
  ['body.not_object', { form: '{}' }, '', 'send {}'],
  ['row.too_large', {}, '', 'reduce it, or move'],
  ['row.too_large', { limit: 5, key: 'k', keySize: 4 }, '', 'to 5 bytes of compact JSON, or move'],
  ['row.too_large', { key: 'k', keySize: 4 }, '', 'the largest key is "k" with 4 bytes'],
])('%s is worded for %o', (code, params, message, hint) => {
  const explained = explainViolation(violation(code, '', params));
  expect(explained.message).toContain(message);
  expect(explained.hint).toContain(hint);
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
