import { describe, expect, test } from 'vitest';
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

describe('validateFile checks a file', () => {
  const { bytes, cautiousBytes } = FILE_SIZE;
  const quota = FILES_TOTAL.member;

  test.each<[string, FileToCheck & FileOptions, string[]]>([
    ['without errors', { key: 'a', size: 1 }, []],
    ['without bytes', { key: 'a', size: 0 }, ['file.empty /size']],
    ['without a key', { size: 1 }, []],
    ['with an invalid key', { key: '-', size: 1 }, ['file.key_invalid']],
    ['that is too large', { key: 'a', size: bytes + 1 }, ['file.too_large /size']],
    ['at the limit', { key: 'a', size: bytes }, ['file.maybe_too_large /size']],
    ['at the cautious limit', { key: 'a', size: cautiousBytes }, []],
    ['without a size', { key: 'a', size: Number.NaN }, ['file.size_invalid /size']],
    ['with a negative size', { key: 'a', size: -1 }, ['file.size_invalid /size']],
    ['that is the 100th', { key: 'a', size: 1, listing: listing(99) }, []],
    ['that is the 101st', { key: 'a', size: 1, listing: listing(100) }, ['files.too_many']],
    ['that replaces one as the 101st', { key: 'f7', size: 1, listing: listing(100) }, []],
    [
      'over the quota',
      { key: 'a', size: 2, kind: 'member', listing: listing(1, quota.bytes - 1) },
      ['files.quota_exceeded /size'],
    ],
    [
      'at the quota',
      { key: 'a', size: 1, kind: 'member', listing: listing(1, quota.bytes - 1) },
      ['files.maybe_quota_exceeded /size'],
    ],
    [
      'at the quota of an unknown row',
      { key: 'a', size: 1, listing: listing(1, quota.bytes - 1) },
      [],
    ],
    ['within the quota', { key: 'a', size: 1, kind: 'member', listing: listing(1, 5) }, []],
    [
      'whose listing is wrapped in files',
      { key: 'a', size: 1, listing: `{"files":${listing(100)}}` },
      ['files.too_many'],
    ],
    ['without a listing', { key: 'a', size: 1, listing: '{"a":1}' }, ['file.listing_unreadable']],
    [
      'whose listing is not JSON',
      { key: 'a', size: 1, listing: 'no' },
      ['file.listing_unreadable'],
    ],
    ['whose listing is null', { key: 'a', size: 1, listing: 'null' }, ['file.listing_unreadable']],
    [
      'whose listing has invalid items',
      { key: 'a', size: 1, listing: '[{"key":"b"}]' },
      ['file.listing_unreadable'],
    ],
  ])('%s', (_, file, expected) => {
    const findings = validateFile(file);
    expect(brief(findings)).toEqual(expected);
    expectWhole(findings);
  });

  test('and counts it for later files, unless it is rejected itself', () => {
    const files = [
      { key: 'bad key', size: 1 },
      { key: 'a', size: 1 },
      { key: 'a', size: 2 },
      { key: 'b', size: 1 },
    ];
    const found = validateFiles(files, { kind: 'context', listing: listing(99) }).map(brief);
    expect(found).toEqual([['file.key_invalid'], [], [], ['files.too_many']]);
  });
});

test('validateDeclaration checks the key and the row of a declaration', () => {
  const options = { key: '/', kind: 'member', listing: listing(100) } as const;
  expect(brief(validateDeclaration('{"size":1}', options))).toEqual([
    'file.key_invalid',
    'files.too_many',
  ]);
  expect(brief(validateDeclaration('{"size":1}', { listing: '7' }))).toEqual([
    'file.listing_unreadable',
  ]);
});
