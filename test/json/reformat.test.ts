import { assert, constantFrom, jsonValue, property } from '../support/property.ts';
import { describe, expect, test } from 'vitest';
import { reformat, sourceAt } from '../../src/json/index.ts';

describe('reformat', () => {
  test.each([
    ['{}', '{}'],
    [' [ ] ', '[]'],
    ['{"a":1.10}', '{\n  "a": 1.10\n}'],
    ['[[],{"b":-0}]', '[\n  [],\n  {\n    "b": -0\n  }\n]'],
    ['{"a":1,"a":2}', '{\n  "a": 1,\n  "a": 2\n}'],
    ['"a\\u0041\\/ {[,:\\"]}"', '"a\\u0041\\/ {[,:\\"]}"'],
    [
      '{"\\ud800":[1e400,\ttrue,null]}',
      '{\n  "\\ud800": [\n    1e400,\n    true,\n    null\n  ]\n}',
    ],
  ])('formats %s', (text, formatted) => {
    expect(reformat(text)).toBe(formatted);
    expect(reformat(formatted)).toBe(formatted);
    expect(reformat(reformat(text), 0)).toBe(reformat(text, 0));
  });

  test('gives the same text as JSON.stringify for plain values', () => {
    assert(
      property(jsonValue(), constantFrom(0, 1, 2, 4), (value, indent) => {
        expect(reformat(JSON.stringify(value, null, 3), indent)).toBe(
          JSON.stringify(value, null, indent),
        );
      }),
    );
  });

  test('limits the indentation of 100,000 levels, so that the result fits into memory', () => {
    const text = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(reformat(text).length).toBeLessThan(100_000_000);
    expect(reformat(reformat(text), 0)).toBe(text);
  });
});

const text = ' {"a/b": [1.10, {"~":  "x\\u0041" } ], "a": 1, "a" : {"b" :2 }} ';

test.each([
  ['', text.trim()],
  ['/a~1b', '[1.10, {"~":  "x\\u0041" } ]'],
  ['/a~1b/0', '1.10'],
  ['/a~1b/1/~0', '"x\\u0041"'],
  ['/a/b', '2'],
  ['/a', '{"b" :2 }'],
  ['/a~1b/2', undefined],
  ['/a~1b/-', undefined],
  ['/a~1b/00', undefined],
  ['/c', undefined],
])('sourceAt returns the text of the value at %j', (pointer, source) => {
  expect(sourceAt(text, pointer)).toBe(source);
});
