import { array, assert, constantFrom, property, string, tuple, runs } from '../support/property.ts';
import { expect, test } from 'vitest';
import { compactSize, parseJson } from '../../src/json/index.ts';
import { checkOddities } from '../../src/validator/body.ts';
import { plainObject, readCheckedRow, validateRow } from '../../src/validator/row.ts';

test.each([
  ['{"a":1.25,"b":[{"a":"at 1.25"}],"c":{"a":null}}'],
  ['{"a" : "b\\":c", "d":":"}'],
  ['{"a":"é\u2028\ud83d\ude00\\ud800"}'],
  ['{"a":"\ud800"}'],
  ['{"a":[0.30000000000000004,1e+21,1e-7]}'],
  ['{"a":"3e4","b":1700000000000,"c":0.001}'],
  [`{"a":${'['.repeat(99)}${']'.repeat(99)}}`],
])('plainObject accepts %s', (text) => {
  expect(plainObject(text)).toMatchObject({ size: compactSize(text) });
});

test('plainObject does not crash on a string of six million escapes', () => {
  const text = `{"a": "${'\\n\\"'.repeat(3_000_000)}"}`;
  expect(plainObject(text)?.size).toBe(text.length - 1);
});

const SCALARS = '1 0 -0.5 1.50 -0 100 1e2 1000 1e3 1E5 0.001 1e-3 1700000000000 1e21 1e400 1e-400'
  .concat(' 0.30000000000000004 9007199254740993 123456789012345678 1234567890123456789012')
  .concat(' 0.00000012345678901 "x" ":" "3e4" "é" "\\u00e9\\/" true false null {} [[]]')
  .split(' ')
  .concat('" "');

/** Rows in which members, numbers and spaces go together in all ways. */
const rows = (() => {
  const name = constantFrom('a', 'b', '1', '0', '', '":', '\\u0061', '__proto__');
  const comma = constantFrom(',', ',', ', ', ',   ');
  const scalar = constantFrom(...SCALARS);
  const value = scalar.chain((one) =>
    tuple(comma, array(tuple(name, scalar), { maxLength: 3 })).map(([between, members]) =>
      members.length === 0 ? one : object(members, between),
    ),
  );
  return tuple(comma, array(tuple(name, value), { maxLength: 4 }), string({ maxLength: 3 })).map(
    ([between, members, text]) => object([...members, ['z', JSON.stringify(text)]], between),
  );
})();

test('plainObject only accepts a text in which the exact parser finds nothing', () => {
  assert(
    property(rows, (row) => {
      const plain = plainObject(row);
      if (plain === undefined) return;
      expect(checkOddities(parseJson(row))).toEqual([]);
      expect(plain.size).toBe(compactSize(row));
    }),
    runs(500),
  );
});

test('validateRow finds the same as the exact parser, including the largest key', () => {
  const options = { kind: 'context', warnAt: 0 } as const;
  assert(
    property(rows, (row) => {
      expect(validateRow(row, options)).toEqual(readCheckedRow(row, options).findings);
    }),
    runs(500),
  );
});

function object(members: readonly (readonly [string, string])[], comma: string): string {
  return `{${members.map(([name, value]) => `"${name.replace('"', '\\"')}":${value}`).join(comma)}}`;
}
