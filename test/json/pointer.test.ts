import * as fc from '../support/property.ts';
import { describe, expect, test } from 'vitest';
import { compactJson, parseJson } from '../../src/json/index.ts';
import {
  arrayIndex,
  childAt,
  escapeToken,
  formatPointer,
  parsePointer,
  pointerRule,
  valueAt,
} from '../../src/json/pointer.ts';

const token = fc.oneof(
  fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a', '#', '%', '😀') }),
  fc.constantFrom('__proto__', 'constructor', '', '-'),
);
const tokens = fc.array(token, { maxLength: 6 });

describe('parsePointer and formatPointer', () => {
  test('undo each other', () => {
    fc.assert(
      fc.property(tokens, (list) => {
        expect(parsePointer(formatPointer(list))).toEqual(list);
      }),
    );
  });

  test.each([
    ['', []],
    ['/', ['']],
    ['/a~1b/m~0n', ['a/b', 'm~n']],
    ['/~01', ['~1']],
    ['/ /%25/"', [' ', '%25', '"']],
  ])('parse %j', (text, expected) => {
    expect(pointerRule(text)).toBeUndefined();
    expect(parsePointer(text)).toEqual(expected);
  });

  test.each([
    ['a', 'it must be empty or start with /'],
    ['#/a', 'it is written as a URL fragment; leave the # out'],
    ['/a~', 'a ~ must be followed by 0 or 1; write ~ itself as ~0'],
    ['/a~2', 'a ~ must be followed by 0 or 1; write ~ itself as ~0'],
  ])('report %j as malformed: %s', (text, reason) => {
    expect(pointerRule(text)).toBe(reason);
    expect(parsePointer(text)).toBeUndefined();
  });

  test('escape ~ before /', () => {
    expect(escapeToken('~/~1')).toBe('~0~1~01');
  });
});

describe('arrayIndex', () => {
  test.each([
    ['0', 0],
    ['9007199254740993', 9007199254740992],
  ])('accepts %s', (text, index) => {
    expect(arrayIndex(text)).toBe(index);
  });

  test.each(['', '-', '-1', '01', '00', '1.0', '1e0', '+1', ' 1', '１', '1\n', '0x1'])(
    'returns undefined for %j',
    (text) => {
      expect(arrayIndex(text)).toBeUndefined();
    },
  );
});

describe('valueAt', () => {
  // The example of RFC 6901, section 5.
  const text =
    '{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\\\j":5,"k\\"l":6," ":7,"m~n":8}';
  const doc = parseJson(text).value;

  test.each([
    ['', text],
    ['/foo', '["bar","baz"]'],
    ['/foo/0', '"bar"'],
    ['/', '0'],
    ['/a~1b', '1'],
    ['/g|h', '4'],
    ['/i\\j', '5'],
    ['/ ', '7'],
    ['/m~0n', '8'],
  ])('of %j returns %s', (pointer, expected) => {
    expect(compactJson(valueAt(doc, parsePointer(pointer) ?? []) ?? null)).toBe(expected);
  });

  test.each(['/bar', '/foo/2', '/foo/-', '/foo/00', '/foo/length', '/foo/0/0', '/ /x', '/bar/x'])(
    'of %j returns undefined',
    (pointer) => {
      expect(valueAt(doc, parsePointer(pointer) ?? [])).toBeUndefined();
    },
  );

  test('returns null for a null member, and undefined for an inherited name such as constructor', () => {
    expect(valueAt(parseJson('[null]').value, ['0'])).toBeNull();
    expect(valueAt(parseJson('{}').value, ['__proto__'])).toBeUndefined();
    expect(valueAt(parseJson('{}').value, ['constructor'])).toBeUndefined();
    expect(childAt(parseJson('{"__proto__":true}').value, '__proto__')).toBe(true);
  });
});
