import { describe, expect, test } from 'vitest';
import {
  bodyText,
  checkObject,
  checkRowBody,
  isShared,
  kindOf,
  PARENT_ROWS,
  ROW_KINDS,
  ROW_NAMES,
  type RowKind,
  type RowName,
} from '../../src/contract/rows.ts';
import { jsonTypeOf } from '../../src/contract/words.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
describe('the names of rows', () => {
  test('are those of four kinds and two parent rows', () => {
    expect(ROW_KINDS).toEqual(['context', 'location', 'member', 'member_location']);
    expect(PARENT_ROWS).toEqual(['parent_context', 'parent_location']);
    expect(ROW_NAMES).toEqual([...ROW_KINDS, ...PARENT_ROWS]);
  });

  test.each<[RowName, RowKind]>([
    ['context', 'context'],
    ['location', 'location'],
    ['member', 'member'],
    ['member_location', 'member_location'],
    ['parent_context', 'context'],
    ['parent_location', 'location'],
  ])('map %s to the kind %s', (name, kind) => {
    expect(kindOf(name)).toBe(kind);
  });

  test.each<[RowKind, boolean]>([
    ['context', true],
    ['location', true],
    ['member', false],
    ['member_location', false],
  ])('mark %s as shared: %s', (kind, shared) => {
    expect(isShared(kind)).toBe(shared);
  });
});

describe('the size of a row', () => {
  test.each([
    ['white space between tokens', ' {\t"k" :\r\n[ 1 , 2 ] } \n', '{"k":[1,2]}'],
    ['white space in a string', '{"k":" \u00a0 "}', '{"k":" \u00a0 "}'],
    ['an escaped letter', String.raw`{"\u006b":"\u0041"}`, '{"k":"A"}'],
    ['an escaped slash', String.raw`{"k":"\/"}`, '{"k":"/"}'],
    ['an escaped accent', String.raw`{"k":"\u00e9"}`, '{"k":"é"}'],
    ['an escaped pair', String.raw`{"k":"\ud83d\ude00"}`, '{"k":"😀"}'],
    ['a long escape of a line feed', String.raw`{"k":"\u000a"}`, String.raw`{"k":"\n"}`],
    ['numbers as they are written', '{"k":1.00e+02}', '{"k":1.00e+02}'],
    ['an integer over 2^53 as it is written', '{"k":9007199254740993}', '{"k":9007199254740993}'],
    ['the empty object', '{ }', '{}'],
  ])('is counted in the compact form: %s', (_name, text, compact) => {
    expect(checkRowBody('member', utf8(text))).toEqual({
      violations: [],
      size: utf8(compact).length,
    });
  });
});

test('a row with an error is reported with its position', () => {
  const { violations } = checkRowBody('member', utf8('{\n  "a": 1,\n  "b": NaN\n}'));
  expect(violations[0]?.params).toMatchObject({ line: 3, column: 8 });
});

describe('bodyText', () => {
  test('keeps a byte order mark, which the parser rejects', () => {
    expect(bodyText(utf8('\ufeff{}'))).toEqual({ text: '\ufeff{}' });
  });

  test('rejects bytes that are not UTF-8', () => {
    expect(bodyText(Uint8Array.of(0x61, 0x80))).toMatchObject({
      violation: { code: 'body.syntax', path: '' },
    });
  });
});

describe('checkObject', () => {
  test('accepts an object', () => {
    expect(checkObject(' {"k":[]} ')).toBeUndefined();
  });

  test.each([
    ['[', 'body.syntax'],
    ['[]', 'body.not_object'],
  ])('for %s reports %s', (text, code) => {
    expect(checkObject(text)?.code).toBe(code);
  });
});

describe('jsonTypeOf', () => {
  test.each<[unknown, string]>([
    [null, 'null'],
    [[], 'an array'],
    [{}, 'an object'],
    ['', 'a string'],
    [0, 'a number'],
    [false, 'a boolean'],
  ])('of %j returns %s', (value, expected) => {
    expect(jsonTypeOf(value)).toBe(expected);
  });
});
