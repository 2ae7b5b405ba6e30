import { array, assert, constantFrom, property, string, tuple } from '../support/property.ts';
import { expect, test } from 'vitest';
import { compactSize, parseJson } from '../../src/json/index.ts';
import { checkOddities } from '../../src/validator/body.ts';
import { plainObject } from '../../src/validator/plain.ts';

test.each([
  ['{"a":1.25,"b":[{"a":"at 1.25"}],"c":{"a":null}}'],
  ['{"a" : "b\\":c", "d":":"}'],
  ['{"__proto__":1,"toString":2}'],
  [' {}\n'],
  ['{"a":1.0,"b":[-0, 0.10]}'],
  ['{"2":1,"1":"\\u00e9\\/\\\\","a\\"b":"\\\\\\"{1:2}"}'],
  ['{"a":"é\u2028\ud83d\ude00\\ud800"}'],
])('%s is plain', (text) => {
  expect(plainObject(text)).toEqual({ text, size: compactSize(text) });
});

test('a string of six million escapes does not crash', () => {
  const text = `{"a": "${'\\n\\"'.repeat(3_000_000)}"}`;
  expect(plainObject(text)?.size).toBe(text.length - 1);
});

test.each([
  ['{"a":1,"a":1}'],
  ['{"a":1,"\\u0061":1}'],
  ['[{"b":{"a":1, "a":1}}]'],
  ['{"a":[1, 9007199254740993]}'],
  ['{"a":1e400}'],
  ['{"a":0.1000000000000000055}'],
  [`{"a":${'['.repeat(200)}${']'.repeat(200)}}`],
  ['[]'],
  ['{"a":1,}'],
  ['\ufeff{}'],
])('%s is not', (text) => {
  expect(plainObject(text)).toBeUndefined();
});

test('what is plain has nothing odd in it for the exact parser either', () => {
  const name = constantFrom('a', 'b', '":', '\\u0061', '__proto__');
  const scalar = constantFrom(
    '1',
    '-0.5',
    '1.50',
    '1e3',
    '123456789012345678',
    '"x"',
    '":"',
    '"\\u00e9\\/"',
    '{}',
    '[[]]',
  );
  const value = scalar.chain((one) =>
    array(tuple(name, scalar), { maxLength: 3 }).map((members) =>
      members.length === 0 ? one : object(members),
    ),
  );
  const members = array(tuple(name, value), { maxLength: 4 });
  assert(
    property(members, string({ maxLength: 3 }), (each, text) => {
      const row = object([...each, ['z', JSON.stringify(text)]]);
      const plain = plainObject(row);
      if (plain === undefined) return;
      expect(checkOddities(parseJson(row))).toEqual([]);
      expect(plain.size).toBe(compactSize(row));
    }),
    { numRuns: 1000 },
  );
});

function object(members: readonly (readonly [string, string])[]): string {
  return `{${members.map(([name, value]) => `"${name.replace('"', '\\"')}":${value}`).join(', ')}}`;
}
