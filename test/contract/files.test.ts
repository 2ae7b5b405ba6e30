import mime from 'mime';
import other from 'mime/types/other.js';
import standard from 'mime/types/standard.js';
import * as fc from '../support/property.ts';
import { describe, expect, test } from 'vitest';
import { checkDeclaration, checkKey, checkQuota, proposeKey } from '../../src/contract/files.ts';
import { guessMimetype } from '../../src/contract/mimetype.ts';
import type { RowKind } from '../../src/contract/rows.ts';
import { explainViolation, refusal } from '../../src/contract/violations.ts';

type Found = readonly { readonly code: string; readonly path: string }[];
const codesOf = (found: Found): string[] => found.map(({ code }) => code);
const placesOf = (found: Found): string[] => found.map(({ code, path }) => `${code} ${path}`);

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

describe('a declaration', () => {
  test('has defaults', () => {
    expect(checkDeclaration('notes.txt', { size: 3 })).toEqual({
      declaration: { size: 3, mimetype: '', filename: 'notes.txt', attachment: false },
      violations: [],
    });
  });

  test('keeps its values', () => {
    const body = { size: 5, mimetype: 'text/csv', filename: 'Noten März.csv', attachment: true };
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

  test('treats null as absent', () => {
    const body = { size: 1, mimetype: null, filename: null, attachment: null };
    const declaration = { size: 1, mimetype: '', filename: 'k', attachment: false };
    expect(checkDeclaration('k', body)).toMatchObject({ declaration });
  });

  // No JSON numbers: a library caller can pass them.
  test.each([NaN, Infinity])('rejects the size %d', (size) => {
    expect(codesOf(checkDeclaration('k', { size }).violations)).toEqual(['file.size_invalid']);
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
