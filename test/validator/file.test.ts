import { describe, expect, test } from 'vitest';
import { FILE_SIZE, FILES_TOTAL } from '../../src/contract/index.ts';
import {
  type FileOptions,
  type FileToCheck,
  validateDeclaration,
  validateFile,
  validateFiles,
  validateKey,
} from '../../src/validator/index.ts';
import { brief, expectWhole } from './findings.ts';

const listing = (count: number, size = 1): string =>
  JSON.stringify(Array.from({ length: count }, (_, index) => ({ key: `f${index}`, size })));

test.each<[string, string[]]>([
  ['a', []],
  ['Report-1.final_v2.pdf', []],
  ['x'.repeat(128), []],
  ['x'.repeat(129), ['file.key_invalid']],
  ['', ['file.key_invalid']],
  ['.hidden', ['file.key_invalid']],
  ['a/b', ['file.key_invalid']],
  ['a\n', ['file.key_invalid']],
  ['é', ['file.key_invalid']],
  ['\ud800', ['file.key_invalid']],
  ['__proto__', ['file.key_invalid']],
])('validateFile reports the file key %j', (key, expected) => {
  const findings = validateKey(key);
  expect(brief(findings)).toEqual(expected);
  expectWhole(findings);
});

describe('validateFile checks a file', () => {
  const { bytes, cautiousBytes } = FILE_SIZE;
  const quota = FILES_TOTAL.member;

  test.each<[string, FileToCheck & FileOptions, string[]]>([
    ['without errors', { key: 'a', size: 1 }, []],
    ['without bytes', { key: 'a', size: 0 }, []],
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

describe('validateDeclaration checks', () => {
  test.each<[string, string[]]>([
    ['{"size":0}', []],
    ['{"size":1,"mimetype":"","filename":"ü.pdf","attachment":true,"more":1}', []],
    ['{}', ['file.size_missing /size']],
    ['{"size":"1"}', ['file.size_invalid /size']],
    ['{"size":1.5}', ['file.size_invalid /size']],
    ['{"size":1,"mimetype":7}', ['file.mimetype_invalid /mimetype']],
    ['{"size":1,"filename":{}}', ['file.filename_invalid /filename']],
    ['{"size":1,"attachment":"yes"}', ['file.attachment_invalid /attachment']],
    ['{"size":1,"filename":null}', ['file.null_field /filename']],
    ['{"size":1,"size":2}', ['body.duplicate_name /size']],
    ['[1]', ['body.not_object']],
    ['{', ['body.syntax']],
  ])('the declaration %s', (text, expected) => {
    const findings = validateDeclaration(text, { key: 'a' });
    expect(brief(findings)).toEqual(expected);
    expectWhole(findings);
  });

  test('the key and the row of a declaration', () => {
    const options = { key: '/', kind: 'member', listing: listing(100) } as const;
    expect(brief(validateDeclaration('{"size":1}', options))).toEqual([
      'file.key_invalid',
      'files.too_many',
    ]);
    expect(brief(validateDeclaration('{"size":1}', { listing: '7' }))).toEqual([
      'file.listing_unreadable',
    ]);
  });
});
