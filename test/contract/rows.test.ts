import { describe, expect, test } from 'vitest';
import {
  bodyText,
  checkObject,
  checkRowBody,
  checkRowSize,
  isShared,
  kindOf,
  PARENT_ROWS,
  ROW_KINDS,
  ROW_NAMES,
  type RowKind,
  type RowName,
} from '../../src/contract/rows.ts';
import { jsonTypeOf } from '../../src/contract/words.ts';
import { explainViolation, isCertain, refusal } from '../../src/contract/violations.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const codesOf = (kind: RowKind, text: string): string[] =>
  checkRowBody(kind, utf8(text)).violations.map(({ code }) => code);

/** An object whose compact form has exactly `size` bytes, most of them `filler`. */
function objectOfSize(size: number, filler = 'x'): string {
  const room = size - utf8('{"k":""}').length;
  const width = utf8(filler).length;
  const rest = 'y'.repeat(room % width);
  return `{"k":"${filler.repeat(Math.floor(room / width))}${rest}"}`;
}

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

const BOUNDARIES: [kind: RowKind, cautious: number, limit: number, label: string][] = [
  ['context', 1_000_000, 1_048_576, '1 MB'],
  ['location', 1_000_000, 1_048_576, '1 MB'],
  ['member', 512_000, 524_288, '512 KB'],
  ['member_location', 512_000, 524_288, '512 KB'],
];

describe('the size of a row', () => {
  test.each(BOUNDARIES)('of a %s row has a warning and a limit', (kind, cautious, limit) => {
    for (const [size, codes] of [
      [cautious - 1, []],
      [cautious, []],
      [cautious + 1, ['row.maybe_too_large']],
      [limit - 1, ['row.maybe_too_large']],
      [limit, ['row.maybe_too_large']],
      [limit + 1, ['row.too_large']],
    ] as const) {
      const found = checkRowBody(kind, utf8(objectOfSize(size)));
      expect(found.size).toBe(size);
      expect(found.violations.map(({ code }) => code)).toEqual(codes);
      expect(checkRowSize(kind, size)).toEqual(found.violations);
    }
  });

  test.each(BOUNDARIES)(
    'of a %s row one byte over the limit is reported with its numbers',
    (kind, cautious, limit, label) => {
      const found = checkRowSize(kind, limit + 1);
      const params = { kind, size: limit + 1, limit, cautious, label };
      expect(found).toEqual([{ code: 'row.too_large', path: '', params }]);
      expect(found.map(explainViolation)).toMatchObject([
        {
          status: 422,
          message: `JSON object of ${limit + 1} bytes is over the ${label} limit of a ${kind} row`,
          hint: expect.stringContaining(`${limit} bytes`),
        },
      ]);
    },
  );

  test('between the two readings of the limit is a warning, which the emulator ignores', () => {
    const found = checkRowSize('member', 512_001);
    expect(found.map(isCertain)).toEqual([false]);
    expect(refusal(found)).toBeUndefined();
    expect(refusal(checkRowSize('member', 524_289))?.code).toBe('row.too_large');
  });

  // Each filler takes another number of bytes than of characters.
  test.each([
    ['two bytes', 'é'],
    ['three bytes', '語'],
    ['four bytes, two UTF-16 units', '😀'],
    ['an escaped line feed', String.raw`\n`],
    ['an escaped quote', String.raw`\"`],
    ['an escaped control character', String.raw`\u0001`],
    ['an escaped half of a surrogate pair', String.raw`\ud83d`],
  ])('is counted in bytes: %s', (_name, filler) => {
    const width = utf8(filler).length;
    for (const [size, codes] of [
      [524_288 - width, ['row.maybe_too_large']],
      [524_288, ['row.maybe_too_large']],
      [524_289, ['row.too_large']],
    ] as const) {
      const found = checkRowBody('member', utf8(objectOfSize(size, filler)));
      expect(found.size).toBe(size);
      expect(found.violations.map(({ code }) => code)).toEqual(codes);
    }
  });

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

  test('does not include white space', () => {
    const object = objectOfSize(512_000);
    const text = `${' '.repeat(600_000)}${object}${'\n'.repeat(600_000)}`;
    expect(checkRowBody('member', utf8(text))).toEqual({ violations: [], size: 512_000 });
  });

  test('does not include unnecessary escapes', () => {
    const text = `{"k":"${String.raw`\u0061`.repeat(500_000)}"}`;
    expect(checkRowBody('member', utf8(text))).toEqual({ violations: [], size: 500_008 });
  });
});

describe('the body of a row', () => {
  test.each([
    ['an array', '[]', 'an array'],
    ['an array of objects', '[{}]', 'an array'],
    ['null', 'null', 'null'],
    ['a string', '"{}"', 'a string'],
    ['a number', '0', 'a number'],
    ['true', 'true', 'a boolean'],
    ['false', ' false ', 'a boolean'],
  ])('cannot be %s', (_name, text, found) => {
    expect(checkRowBody('context', utf8(text))).toEqual({
      violations: [{ code: 'body.not_object', path: '', params: { found } }],
      size: 0,
    });
  });

  test('with an error is reported with its position', () => {
    const { violations } = checkRowBody('member', utf8('{\n  "a": 1,\n  "b": NaN\n}'));
    expect(violations[0]?.params).toMatchObject({ line: 3, column: 8 });
  });

  test('of 1,001 levels is rejected at the position of the last level', () => {
    const text = `{"k":${'['.repeat(1000)}${']'.repeat(1000)}}`;
    const { violations } = checkRowBody('member', utf8(text));
    expect(violations).toMatchObject([{ code: 'body.syntax', params: { line: 1, column: 1005 } }]);
  });

  test('that is malformed is not measured, however large', () => {
    expect(codesOf('member', `${objectOfSize(600_000)},`)).toEqual(['body.syntax']);
  });

  test.each([
    ['duplicate names', '{"k":1,"k":2}'],
    ['names of inherited properties', '{"__proto__":1,"constructor":2,"toString":3}'],
    ['an empty name', '{"":{}}'],
    ['numbers that JavaScript cannot represent', '{"a":1e400,"b":1152921504606846977,"c":-0}'],
    ['an escaped half of a surrogate pair', String.raw`{"k":"\udc00"}`],
    ['1,000 levels', `{"k":${'['.repeat(999)}${']'.repeat(999)}}`],
  ])('may have %s', (_name, text) => {
    expect(codesOf('member', text)).toEqual([]);
  });
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
