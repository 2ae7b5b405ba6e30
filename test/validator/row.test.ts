import { describe, expect, test } from 'vitest';
import { ROW_SIZE, type RowKind } from '../../src/contract/index.ts';
import { validateRow } from '../../src/validator/index.ts';
import { brief, expectWhole } from './findings.ts';

/** A row whose compact form has exactly this many bytes. */
const rowOf = (bytes: number): string => `{"a":"${'x'.repeat(bytes - 8)}"}`;

describe('validateRow checks the size', () => {
  const { bytes: shared, cautiousBytes: sharedCautious } = ROW_SIZE.context;
  const { bytes: own, cautiousBytes: ownCautious } = ROW_SIZE.member;

  test.each<[RowKind | 'unknown', number, string[]]>([
    ['context', shared + 1, ['row.too_large']],
    ['context', shared, ['row.maybe_too_large']],
    ['location', sharedCautious + 1, ['row.maybe_too_large']],
    ['location', sharedCautious, ['row.near_limit']],
    ['member', own + 1, ['row.too_large']],
    ['member', own, ['row.maybe_too_large']],
    ['member_location', ownCautious, ['row.near_limit']],
    ['member', Math.ceil(own * 0.8), ['row.near_limit']],
    ['member', Math.ceil(own * 0.8) - 1, []],
    ['unknown', shared + 1, ['row.too_large']],
    ['unknown', shared, ['row.too_large_for_member', 'row.maybe_too_large']],
    ['unknown', own + 1, ['row.too_large_for_member']],
    ['unknown', own, ['row.too_large_for_member']],
    ['unknown', ownCautious, []],
  ])('of a row of kind %s with %i bytes', (row, size, expected) => {
    const kind = row === 'unknown' ? undefined : row;
    const findings = validateRow(rowOf(size), { kind });
    expect(brief(findings)).toEqual(expected);
    expectWhole(findings);
  });

  test('without white space and unnecessary escapes', () => {
    const text = `{ "a" :\n "${'\\u0078'.repeat(own - 8)}" }`;
    expect(brief(validateRow(text, { kind: 'member' }))).toEqual(['row.maybe_too_large']);
  });

  test.each([
    [0.5, ['row.near_limit']],
    [0.9, []],
  ])('against --warn-at %d', (warnAt, expected) => {
    const text = rowOf(Math.floor(own * 0.6));
    expect(brief(validateRow(text, { kind: 'member', warnAt }))).toEqual(expected);
  });

  test('and names the largest key, cut if that is long', () => {
    const long = 'k'.repeat(own);
    const [finding] = validateRow(`{"small":1,"${long}":2}`, { kind: 'member' });
    expect(finding?.hint).toContain(
      `the largest key is "${'k'.repeat(60)}…" with ${own + 4} bytes`,
    );
    const [other] = validateRow(rowOf(own + 1), { kind: 'member' });
    expect(other?.hint).toContain(`the largest key is "a" with ${own - 1} bytes`);
  });
});

describe('validateRow reports', () => {
  test.each<[string, string, string[]]>([
    ['nothing in a clean row', '{"a":[1,2.5,-0,1e3],"b":{"c":null}}', []],
    ['nothing in an empty row', '{}', []],
    ['no JSON', '{"a":1,}', ['body.syntax']],
    ['nothing', '', ['body.syntax']],
    ['NaN', '{"a":NaN}', ['body.syntax']],
    ['a byte order mark', '\ufeff{}', ['body.syntax']],
    ['an array', '[]', ['body.not_object']],
    ['null', 'null', ['body.not_object']],
    ['a number', '7', ['body.not_object']],
    ['a duplicate name', '{"a":1,"b":{"c":1,"c":2}}', ['body.duplicate_name /b/c']],
    ['2^53 + 1', '{"a":9007199254740993}', ['body.lossy_number /a']],
    ['1e400', '{"a":[0,1e400]}', ['body.lossy_number /a/1']],
    ['nothing in 1.10, which keeps its value', '{"a":1.10}', []],
    ['names that need escapes', '{"a/b":{"~":1e400}}', ['body.lossy_number /a~1b/~0']],
    [
      'several findings in the order of the text',
      '{"a":1e400,"b":[1e500],"c":1e600}',
      ['body.lossy_number /a', 'body.lossy_number /b/0', 'body.lossy_number /c'],
    ],
    ['100 levels', nested(99), []],
    ['101 levels', nested(100), ['body.deep']],
  ])('%s', (_, text, expected) => {
    const findings = validateRow(text, { kind: 'context' });
    expect(brief(findings)).toEqual(expected);
    expectWhole(findings);
  });

  test.each([
    ['{"a":1,\n "b":9007199254740993}', 2, 6],
    ['{"a":1,\n  b:2}', 2, 3],
  ])('the position of an error: %j has line %i, column %i', (text, line, column) => {
    expect(validateRow(text)[0]).toMatchObject({ line, column });
  });

  test('bytes that are not UTF-8', () => {
    const bytes = Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d);
    expect(brief(validateRow(bytes))).toEqual(['body.syntax']);
    expect(brief(validateRow(new TextEncoder().encode('{"é":1}')))).toEqual([]);
  });
});

function nested(arrays: number): string {
  return `{"a":${'['.repeat(arrays)}${']'.repeat(arrays)}}`;
}
