import mime from 'mime';
import other from 'mime/types/other.js';
import standard from 'mime/types/standard.js';
import * as fc from '../support/property.ts';
import { describe, expect, test } from 'vitest';
import { checkDeclaration, checkKey, proposeKey } from '../../src/contract/files.ts';
import { guessMimetype } from '../../src/contract/mimetype.ts';

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

  test('is proposed whole, however long it is', () => {
    const key = `${'word '.repeat(20)}.pdf`;
    expect(checkKey(key)).toMatchObject([{ params: { proposal: proposeKey(key) } }]);
  });

  test('returns a valid key for any text', () => {
    const hostile = fc.oneof(
      fc.string({ unit: fc.anyCharacter, maxLength: 300 }),
      fc.string({ unit: fc.constantFrom('.', '-', '_', '/', 'a', 'é', '😀', '\ufdfa') }),
    );
    fc.assert(
      fc.property(hostile, (key) => {
        expect(checkKey(proposeKey(key))).toEqual([]);
      }),
    );
  });
});

test.each([
  [{ size: 3 }, { size: 3, mimetype: '', filename: 'k', attachment: false }],
  [{ size: 5, mimetype: 'text/csv', filename: 'Noten März.csv', attachment: true }, {}],
  [
    { size: 1, filename: '', mimetype: '' },
    { filename: 'k', attachment: false },
  ],
  // Null is absent.
  [
    { size: 1, mimetype: null, filename: null, attachment: null },
    { mimetype: '', filename: 'k', attachment: false },
  ],
])('the declaration %j is completed with %j', (body, defaults) => {
  expect(checkDeclaration('k', body).declaration).toEqual({ ...body, ...defaults });
});

// No JSON numbers: a library caller can pass them.
test.each([NaN, Infinity])('a declaration with the size %d is rejected', (size) => {
  const [found] = checkDeclaration('k', { size }).violations;
  expect(found?.code).toBe('file.size_invalid');
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
