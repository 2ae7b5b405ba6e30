import { describe, expect, test } from 'vitest';
import * as limits from '../../src/contract/limits.ts';
import type { SizeLimit } from '../../src/contract/limits.ts';

describe('the numbers of the contract', () => {
  // Written out digit by digit: computed ones would repeat the mistakes they are to find.
  const sizes: [name: string, limit: SizeLimit, label: string, cautious: number, bytes: number][] =
    [
      ['a context row', limits.ROW_SIZE.context, '1 MB', 1_000_000, 1_048_576],
      ['a location row', limits.ROW_SIZE.location, '1 MB', 1_000_000, 1_048_576],
      ['a member row', limits.ROW_SIZE.member, '512 KB', 512_000, 524_288],
      ['a member_location row', limits.ROW_SIZE.member_location, '512 KB', 512_000, 524_288],
      ['files of a context row', limits.FILES_TOTAL.context, '500 MB', 500_000_000, 524_288_000],
      ['files of a location row', limits.FILES_TOTAL.location, '250 MB', 250_000_000, 262_144_000],
      ['files of a member row', limits.FILES_TOTAL.member, '100 MB', 100_000_000, 104_857_600],
      [
        'files of a member_location row',
        limits.FILES_TOTAL.member_location,
        '100 MB',
        100_000_000,
        104_857_600,
      ],
      ['one file', limits.FILE_SIZE, '25 MB', 25_000_000, 26_214_400],
      ['a hosted tool, zipped', limits.HOSTED_TOOL_ZIPPED, '25 MB', 25_000_000, 26_214_400],
      ['a whole hosted tool', limits.HOSTED_TOOL_WHOLE, '50 MB', 50_000_000, 52_428_800],
    ];

  test.each(sizes)('have the limit in bytes of %s', (_name, limit, label, cautiousBytes, bytes) => {
    expect(limit).toEqual({ label, cautiousBytes, bytes });
  });

  test.each([
    ['files per row', limits.FILES_PER_ROW, 100],
    ['characters in a file key', limits.FILE_KEY_MAX_CHARACTERS, 128],
    [
      'seconds before a launch token without calls ends, 12 hours',
      limits.LAUNCH_TOKEN_IDLE_MS,
      43_200_000,
    ],
    ['seconds before a provision token ends, 3 hours', limits.PROVISION_TOKEN_MS, 10_800_000],
    [
      'seconds before a provision request is repeated, 3 hours',
      limits.PROVISION_RETRY_MS,
      10_800_000,
    ],
    ['characters in a locations message', limits.LOCATIONS_MESSAGE_MAX_CHARACTERS, 2000],
    ['levels of grouped locations', limits.GROUPED_LOCATIONS_MAX_LEVELS, 5],
  ])('include the number of %s', (_name, actual, expected) => {
    expect(actual).toBe(expected);
  });

  test('apply to each row kind, and to nothing else', () => {
    const kinds = ['context', 'location', 'member', 'member_location'];
    expect(Object.keys(limits.ROW_SIZE)).toEqual(kinds);
    expect(Object.keys(limits.FILES_TOTAL)).toEqual(kinds);
  });
});

// "a file named `voshi.json` at a tool folder's root is reserved and refused" (Versioning, 2026-10-05)
test('the reserved file at the root of a hosted tool is voshi.json', () => {
  expect(limits.RESERVED_ROOT_FILE).toBe('voshi.json');
});
