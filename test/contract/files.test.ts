import mime from 'mime';
import other from 'mime/types/other.js';
import standard from 'mime/types/standard.js';
import * as fc from '../support/property.ts';
import { describe, expect, test } from 'vitest';
import {
  checkDeclaration,
  checkFileSize,
  checkKey,
  checkQuota,
  proposeKey,
} from '../../src/contract/files.ts';
import { guessMimetype } from '../../src/contract/mimetype.ts';
import type { RowKind } from '../../src/contract/rows.ts';
import { explainViolation, isCertain, refusal } from '../../src/contract/violations.ts';

type Found = readonly { readonly code: string; readonly path: string }[];
const codesOf = (found: Found): string[] => found.map(({ code }) => code);
const placesOf = (found: Found): string[] => found.map(({ code, path }) => `${code} ${path}`);

describe('a file key', () => {
  test.each([
    ['one letter', 'a'],
    ['one capital', 'Z'],
    ['one digit', '0'],
    ['the last digit', '9'],
    ['all digits', '0123456789'],
    ['127 characters', 'a'.repeat(127)],
    ['128 characters', 'a'.repeat(128)],
    ['every kind of character', 'azAZ09._-'],
    ['dots in a row', 'a..b'],
    ['a dot at the end', 'a.'],
    ['a hyphen at the end', 'a-'],
    ['a name that objects inherit', 'constructor'],
    ['a name that Windows reserves', 'CON'],
  ])('may have %s', (_name, key) => {
    expect(checkKey(key)).toEqual([]);
  });

  test.each([
    ['no characters', ''],
    ['129 characters', 'a'.repeat(129)],
    ['a dot at the start', '.a'],
    ['a hyphen at the start', '-a'],
    ['an underscore at the start', '_a'],
    ['a lone dot', '.'],
    ['two dots', '..'],
    ['a slash', 'a/b'],
    ['a backslash', 'a\\b'],
    ['a parent folder', '../a'],
    ['a space', 'a b'],
    ['a line feed at the end', 'a\n'],
    ['a final NUL', 'a\u0000'],
    ['a percent sign', 'a%2e'],
    ['a question mark', 'a?b'],
    ['a number sign', 'a#b'],
    ['a plus', 'a+b'],
    ['a colon', 'a:b'],
    ['a tilde', 'a~1'],
    ['an accent', 'é'],
    ['a combining accent', 'e\u0301'],
    ['a digit of another script', 'a\u0663'],
    ['a full-width letter', '\uff41'],
    ['a letter that folds to ASCII', '\u212a'],
    ['an emoji', 'a😀'],
    ['half a surrogate pair', 'a\ud83d'],
    ['a right-to-left mark', 'a\u202e'],
  ])('cannot have %s', (_name, key) => {
    expect(placesOf(checkKey(key, '/key'))).toEqual(['file.key_invalid /key']);
    expect(checkKey(key).map((found) => explainViolation(found).status)).toEqual([422]);
  });

  test.each([
    ['', 'it is empty'],
    ['a'.repeat(129), 'it has 129 characters'],
    ['a b', '" " is not allowed'],
    ['a9Z b', '" " is not allowed'],
    ['@a', '"@" is not allowed'],
    ['a`', '"`" is not allowed'],
    ['a[', '"[" is not allowed'],
    ['a{', '"{" is not allowed'],
    ['a😀b', '"😀" is not allowed'],
    ['.a', 'it must start with a letter or digit'],
  ])('is rejected with the reason: %j, %s', (key, reason) => {
    expect(checkKey(key)[0]?.params).toMatchObject({ key, reason });
  });

  test('is counted in characters, not in UTF-16 units', () => {
    expect(checkKey('😀'.repeat(129))[0]?.params.reason).toBe('it has 129 characters');
  });
});

describe('proposeKey', () => {
  test.each([
    ['my photo.png', 'my-photo.png'],
    ['Übung 1.pdf', 'Ubung-1.pdf'],
    ['../../etc/passwd', 'etc-passwd'],
    ['..', 'file'],
    ['', 'file'],
    ['😀', 'file'],
    ['a'.repeat(129), 'a'.repeat(128)],
    ['.env', 'env'],
    ['good.key', 'good.key'],
    ['9azAZ0_.-', '9azAZ0_.-'],
    ['-9 8', '9-8'],
  ])('makes %j into %j', (key, expected) => {
    expect(proposeKey(key)).toBe(expected);
  });

  test('returns a valid key for any text', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.string({ unit: fc.constantFrom('.', '-', '_', '/', 'a', 'é', '😀', '\ufdfa') }),
    );
    fc.assert(
      fc.property(hostile, (key) => {
        expect(checkKey(proposeKey(key))).toEqual([]);
      }),
    );
  });
});

describe('the size of one file', () => {
  test.each([
    [0, []],
    [1, []],
    [24_999_999, []],
    [25_000_000, []],
    [25_000_001, ['file.maybe_too_large']],
    [26_214_399, ['file.maybe_too_large']],
    [26_214_400, ['file.maybe_too_large']],
    [26_214_401, ['file.too_large']],
  ])('of %d bytes has the findings %j', (size, codes) => {
    expect(codesOf(checkFileSize(size))).toEqual(codes);
    expect(codesOf(checkDeclaration('a', { size }).violations)).toEqual(codes);
  });

  test('over the limit is reported with the limit', () => {
    const found = checkFileSize(26_214_401);
    const params = { size: 26_214_401, limit: 26_214_400, cautious: 25_000_000, label: '25 MB' };
    expect(found).toEqual([{ code: 'file.too_large', path: '/size', params }]);
    expect(found.map(explainViolation)).toMatchObject([
      { status: 422, message: 'size 26214401 exceeds the 25 MB limit of a file' },
    ]);
  });

  test('is an error only above the 1024-based number', () => {
    expect(refusal(checkFileSize(26_214_400))).toBeUndefined();
    expect(refusal(checkFileSize(26_214_401))?.code).toBe('file.too_large');
  });
});

describe('a declaration', () => {
  test('has defaults', () => {
    expect(checkDeclaration('notes.txt', { size: 3 })).toEqual({
      declaration: { size: 3, mimetype: '', filename: 'notes.txt', attachment: false },
      violations: [],
    });
  });

  test('keeps its values', () => {
    const body = { size: 0, mimetype: 'text/csv', filename: 'Noten März.csv', attachment: true };
    expect(checkDeclaration('notes.txt', body)).toEqual({ declaration: body, violations: [] });
  });

  test('uses the key for an empty filename, and guesses an empty mimetype', () => {
    const { declaration, violations } = checkDeclaration('k', {
      size: 1,
      filename: '',
      mimetype: '',
    });
    expect(violations).toEqual([]);
    expect(declaration).toMatchObject({ filename: 'k', mimetype: '' });
  });

  test('ignores other fields', () => {
    expect(checkDeclaration('k', { size: 1, key: '..', max: 5 }).violations).toEqual([]);
  });

  test.each([
    ['a fraction', 1.5, '1.5'],
    ['a negative number', -1, '-1'],
    ['NaN', NaN, 'NaN'],
    ['what 1e400 becomes', Infinity, 'Infinity'],
    ['a string', '3', 'a string'],
    ['an empty string', '', 'a string'],
    ['null', null, 'null'],
    ['a boolean', true, 'a boolean'],
    ['an array', [3], 'an array'],
    ['an object', {}, 'an object'],
  ])('is rejected if its size is %s', (_name, size, found) => {
    expect(checkDeclaration('k', { size }).violations).toEqual([
      { code: 'file.size_invalid', path: '/size', params: { found } },
    ]);
  });

  test('is rejected without a size', () => {
    expect(placesOf(checkDeclaration('k', {}).violations)).toEqual(['file.size_missing /size']);
  });

  test.each([
    ['mimetype', 5, 'file.mimetype_invalid'],
    ['mimetype', ['text/plain'], 'file.mimetype_invalid'],
    ['mimetype', false, 'file.mimetype_invalid'],
    ['filename', 5, 'file.filename_invalid'],
    ['filename', {}, 'file.filename_invalid'],
    ['attachment', 'true', 'file.attachment_invalid'],
    ['attachment', 1, 'file.attachment_invalid'],
    ['attachment', 0, 'file.attachment_invalid'],
    ['attachment', '', 'file.attachment_invalid'],
  ])('is rejected for %s: %j', (field, value, code) => {
    const { violations } = checkDeclaration('k', { size: 1, [field]: value });
    expect(placesOf(violations)).toEqual([`${code} /${field}`]);
    expect(violations.map(isCertain)).toEqual([true]);
  });

  test.each(['mimetype', 'filename', 'attachment'])('causes a warning if %s is null', (field) => {
    const { violations, declaration } = checkDeclaration('k', { size: 1, [field]: null });
    expect(violations).toEqual([{ code: 'file.null_field', path: `/${field}`, params: { field } }]);
    expect(violations.map(isCertain)).toEqual([false]);
    expect(declaration).toEqual({ size: 1, mimetype: '', filename: 'k', attachment: false });
  });

  test('lists all errors in the order of the fields', () => {
    const body = { attachment: 'no', filename: 1, mimetype: 2, size: -1 };
    expect(placesOf(checkDeclaration('k', body).violations)).toEqual([
      'file.size_invalid /size',
      'file.mimetype_invalid /mimetype',
      'file.filename_invalid /filename',
      'file.attachment_invalid /attachment',
    ]);
  });
});

describe('the quota of 100 files', () => {
  const stored = (count: number): { key: string; size: number }[] =>
    Array.from({ length: count }, (_, index) => ({ key: `f${index}`, size: 1 }));

  test.each([
    [0, []],
    [98, []],
    [99, []],
    [100, ['files.too_many']],
    [101, ['files.too_many']],
  ])('allows or rejects a new key after %d files: %j', (count, codes) => {
    expect(codesOf(checkQuota('context', stored(count), 'new', 1))).toEqual(codes);
  });

  test('does not count a file that replaces another', () => {
    expect(checkQuota('context', stored(100), 'f99', 1)).toEqual([]);
  });

  test('counts a key that differs in case', () => {
    expect(codesOf(checkQuota('context', stored(100), 'F99', 1))).toEqual(['files.too_many']);
  });

  test('is reported with the number of files', () => {
    expect(checkQuota('context', stored(100), 'new', 0)).toEqual([
      { code: 'files.too_many', path: '', params: { count: 100, limit: 100 } },
    ]);
  });
});

const QUOTAS: [kind: RowKind, label: string, cautious: number, limit: number][] = [
  ['context', '500 MB', 500_000_000, 524_288_000],
  ['location', '250 MB', 250_000_000, 262_144_000],
  ['member', '100 MB', 100_000_000, 104_857_600],
  ['member_location', '100 MB', 100_000_000, 104_857_600],
];

describe('the total size of the files of a row', () => {
  test.each(QUOTAS)('of %s has a warning and a limit at %s', (kind, _label, cautious, limit) => {
    const reaching = (total: number): string[] =>
      codesOf(checkQuota(kind, [{ key: 'old', size: total - 10 }], 'new', 10));
    expect(reaching(cautious - 1)).toEqual([]);
    expect(reaching(cautious)).toEqual([]);
    expect(reaching(cautious + 1)).toEqual(['files.maybe_quota_exceeded']);
    expect(reaching(limit - 1)).toEqual(['files.maybe_quota_exceeded']);
    expect(reaching(limit)).toEqual(['files.maybe_quota_exceeded']);
    expect(reaching(limit + 1)).toEqual(['files.quota_exceeded']);
  });

  test.each(QUOTAS)(
    'of %s over %s is reported with its numbers',
    (kind, label, cautious, limit) => {
      const found = checkQuota(kind, [{ key: 'old', size: limit }], 'new', 1);
      const params = { kind, total: limit + 1, limit, cautious, label };
      expect(found).toEqual([{ code: 'files.quota_exceeded', path: '/size', params }]);
      expect(found.map((each) => explainViolation(each).status)).toEqual([422]);
    },
  );

  test('does not include the bytes of a replaced file', () => {
    const full = [
      { key: 'a', size: 20_000_000 },
      { key: 'b', size: 84_857_600 },
    ];
    expect(refusal(checkQuota('member', full, 'a', 20_000_000))).toBeUndefined();
    expect(refusal(checkQuota('member', full, 'a', 20_000_001))?.code).toBe('files.quota_exceeded');
    expect(refusal(checkQuota('member', full, 'c', 1))?.code).toBe('files.quota_exceeded');
    expect(refusal(checkQuota('member', full, 'c', 0))).toBeUndefined();
  });

  test('is reported together with the number of files if both are exceeded', () => {
    const full = Array.from({ length: 100 }, (_, index) => ({ key: `f${index}`, size: 5_242_880 }));
    expect(placesOf(checkQuota('context', full, 'new', 1))).toEqual([
      'files.too_many ',
      'files.quota_exceeded /size',
    ]);
  });
});

describe('guessMimetype', () => {
  test.each([
    ['notes.txt', 'text/plain'],
    ['PHOTO.PNG', 'image/png'],
    ['report.final.pdf', 'application/pdf'],
    ['archive', 'application/octet-stream'],
    ['st', 'application/octet-stream'],
    ['json', 'application/octet-stream'],
    ['exports/csv', 'application/octet-stream'],
    ['data.nosuchtype', 'application/octet-stream'],
    ['', 'application/octet-stream'],
  ])('of %j returns %s', (filename, expected) => {
    expect(guessMimetype(filename)).toBe(expected);
  });

  test('agrees with the package mime', () => {
    const known = Object.values({ ...standard, ...other }).flat();
    const name = fc.oneof(
      fc.tuple(fc.string(), fc.constantFrom(...known)).map(([start, end]) => `${start}.${end}`),
      fc.string({ unit: fc.constantFrom('.', '/', '\\', '*', '\n', ' ', 'a', 'c', 'P', 'v') }),
    );
    const guessed = (filename: string): string =>
      mime.getType(`/${filename}`) ?? 'application/octet-stream';
    for (const extension of known) {
      expect(guessMimetype(`a.${extension}`)).toBe(guessed(`a.${extension}`));
    }
    fc.assert(
      fc.property(name, (filename) => guessMimetype(filename) === guessed(filename)),
      fc.runs(1_000),
    );
  });
});
