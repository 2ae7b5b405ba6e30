import { expect, test } from 'vitest';
import { jsonWithRaw } from '../../../src/cli/output/json-text.ts';

test.each([
  [{ a: 1 }, { b: '1.10' }, {}, '{"a":1,"b":1.10}'],
  [{ a: 1 }, { b: undefined, c: '[ ]' }, { d: 'x' }, '{"a":1,"c":[ ],"d":"x"}'],
  [{ a: undefined, b: 2 }, {}, { c: undefined }, '{"b":2}'],
])('JSON text is inserted unchanged, and undefined members are left out', (...given) => {
  const [fields, raw, after, json] = given;
  expect(jsonWithRaw(fields, raw, after)).toBe(json);
});
