import { expect, test } from 'vitest';
import { FILE_SIZE, FILES_TOTAL } from '../../src/contract/index.ts';
import {
  type FileOptions,
  type FileToCheck,
  validateDeclaration,
  validateFile,
  validateFiles,
} from '../../src/validator/index.ts';
import { brief, expectWhole } from './findings.ts';

const listing = (count: number, size = 1): string =>
  JSON.stringify(Array.from({ length: count }, (_, index) => ({ key: `f${index}`, size })));

const { bytes, cautiousBytes } = FILE_SIZE;
const full = FILES_TOTAL.member.bytes - 1;
const MEMBER = { kind: 'member', listing: listing(1, full) } as const;
const UNREADABLE = ['file.listing_unreadable'];

test.each<[string, FileToCheck & FileOptions, string[]]>([
  ['without bytes', { size: 0 }, ['file.empty /size']],
  ['with an invalid key', { key: '-', size: 1 }, ['file.key_invalid']],
  ['that is too large', { size: bytes + 1 }, ['file.too_large /size']],
  ['at the limit', { size: bytes }, ['file.maybe_too_large /size']],
  ['at the cautious limit', { size: cautiousBytes }, []],
  ['without a size', { size: Number.NaN }, ['file.size_invalid /size']],
  ['that is the 101st', { key: 'a', size: 1, listing: listing(100) }, ['files.too_many']],
  ['over the quota', { key: 'a', size: 2, ...MEMBER }, ['files.quota_exceeded /size']],
  ['of an unknown row', { key: 'a', size: 1, listing: listing(1, full) }, []],
  ['with a wrapper', { size: 1, listing: `{"files":${listing(100)}}` }, ['files.too_many']],
  ...['{"a":1}', 'no', 'null', '[{"key":"b"}]'].map(
    (text): [string, FileToCheck & FileOptions, string[]] => [
      `whose listing is ${text}`,
      { size: 1, listing: text },
      UNREADABLE,
    ],
  ),
])('validateFile checks a file %s', (_, { key, ...file }, expected) => {
  const findings = validateFile({ key: key ?? 'a', ...file });
  expect(brief(findings)).toEqual(expected);
  expectWhole(findings);
});

test('validateFiles counts a file for later ones, unless it is rejected itself', () => {
  const files = ['bad key', 'a', 'a', 'b'].map((key, at) => ({ key, size: at + 1 }));
  const found = validateFiles(files, { kind: 'context', listing: listing(99) }).map(brief);
  expect(found).toEqual([['file.key_invalid'], [], [], ['files.too_many']]);
});

test('validateFiles counts first what replaces a larger file, as an upload does', () => {
  const files = ['new', 'f0'].map((key) => ({ key, size: 1 }));
  const stored = listing(4, FILES_TOTAL.member.bytes / 4);
  const found = validateFiles(files, { kind: 'member', listing: stored }).map(brief);
  expect(found).toEqual([[], []]);
});

test('validateFiles counts each file without a key as a new one', () => {
  const found = validateFiles([{ size: 1 }, { size: 1 }, { size: 1 }], { listing: listing(98) });
  expect(found.map(brief)).toEqual([[], [], ['files.too_many']]);
});

test('validateDeclaration checks the key and the row of a declaration', () => {
  const options = { key: '/', kind: 'member', listing: listing(100) } as const;
  const found = ['file.key_invalid', 'files.too_many'];
  expect(brief(validateDeclaration('{"size":1}', options))).toEqual(found);
  expect(brief(validateDeclaration('{"size":1}', { listing: '7' }))).toEqual(UNREADABLE);
});
