import { describe, expect, test } from 'vitest';
import { checkRowBody } from '../../src/contract/rows.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
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
