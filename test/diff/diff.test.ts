import { array, assert, boolean, constantFrom, memo, nat, oneof } from '../support/property.ts';
import { property, string, tuple, type Memo, runs } from '../support/property.ts';
import fastJsonPatch, { type Operation } from 'fast-json-patch';
import { describe, expect, test } from 'vitest';
import { applyPatch, checkOperations } from '../../src/contract/index.ts';
import { diffRows, operationsText, type RowDiff } from '../../src/diff/index.ts';
import {
  compactJson,
  fromNative,
  jsonEqual,
  reformat,
  type JsonObject,
  type ParsedObject,
  parseJson,
} from '../../src/json/index.ts';

describe('a patch between two rows', () => {
  test.each([
    ['rows that are equal', { a: 1 }, { a: 1 }, '[]'],
    ['a changed value', { a: 1, b: 2 }, { a: 1, b: 3 }, '[{"op":"replace","path":"/b","value":3}]'],
    ['an added name', { a: 1 }, { a: 1, b: 2 }, '[{"op":"add","path":"/b","value":2}]'],
    ['a removed name', { a: 1, b: 2 }, { b: 2 }, '[{"op":"remove","path":"/a"}]'],
    ['a changed order of names, which needs no operation', { a: 1, b: 2 }, { b: 2, a: 1 }, '[]'],
    [
      'names that need escapes',
      { 'a/b~': { '': 1 } },
      { 'a/b~': { '': 2 } },
      '[{"op":"replace","path":"/a~1b~0/","value":2}]',
    ],
    [
      'an element added at the end',
      { a: [1, 2] },
      { a: [1, 2, 3] },
      '[{"op":"add","path":"/a/2","value":3}]',
    ],
    [
      'an element added at the start',
      { a: [[1], 2] },
      { a: [0, [1], 2] },
      '[{"op":"add","path":"/a/0","value":0}]',
    ],
    [
      'the removal of a member that follows a container',
      { a: { b: [1] }, c: 1 },
      { a: { b: [1] } },
      '[{"op":"remove","path":"/c"}]',
    ],
  ])('is minimal for %s', (_, before, after, patch) => {
    expect(patchOf(before, after)).toBe(patch);
  });

  test.each([
    ['[{"n":1.10},{"n":1}]', '[{"n":1.1},{"n":1}]', '/a/0/n', '1.1'],
    ['{"b":0,"k":"a long enough text"}', '{"b":-0,"k":"a long enough text"}', '/a/b', '-0'],
    ['1e400', '10e399', '/a', '10e399'],
    ['9007199254740993', '9007199254740992', '/a', '9007199254740992'],
    ['"\\ud800"', '"\\ud801"', '/a', '"\\ud801"'],
    ['"x"', '"\\u0078\\/\\u00e9\\n"', '/a', '"x/é\\n"'],
    ['1.10', '[1.10,2e400]', '/a', '[1.10,2e400]'],
  ])('changes %s to %s exactly', (before, after, path, value) => {
    const { operations } = diff(`{"a":${before}}`, `{"a":${after}}`);
    expect(operations).toEqual([{ op: 'replace', path, value }]);
  });

  test.each([
    ['{"a":"/\\u00e9","b":[1, 2]}', '{"a":"\\/é","b":[1,2]}'],
    ['{"a":{"b":1},"c":[]}', ' {\n "a" : { "b" :\t1 } ,\r\n "c" : [ ] }\n'],
    ['{"a": 1, "b": [{"c": 2}]}', '{"b":[{"c":2}],"a":1}'],
    ['{"\\u0061":1}', '{"a":1}'],
  ])('is empty between %s and %s, which have the same value', (before, after) => {
    expect(diff(before, after).operations).toEqual([]);
  });

  test('reports an object whose members were reordered, and not one that changed', () => {
    expect(diff('{"x":{"a":1,"b":2},"y":1}', '{"x":{"b":2,"a":1},"y":1}').reordered).toEqual([
      '/x',
    ]);
    expect(diff('{"x":{"a":1}}', '{"x":{"a":2,"c":1}}').reordered).toEqual([]);
    expect(diff('{"a":1,"b":2,"c":3}', '{"x":0,"a":1,"c":3}').reordered).toEqual([]);
    expect(diff('{"b":2,"a":1}', '{"a":1,"c":3,"b":2}').reordered).toEqual(['']);
  });

  test('reports the current path of an element whose members were reordered', () => {
    const { operations, reordered } = diff(
      '{"l":[{"a":1,"b":2},{"a":3,"b":4}]}',
      '{"l":[0,{"a":1,"b":2},{"b":4,"a":3}]}',
    );
    expect(operations).toEqual([{ op: 'add', path: '/l/0', value: '0' }]);
    expect(reordered).toEqual(['/l/2']);
  });

  describe('duplicate names', () => {
    test('are not touched if nothing around them changes', () => {
      const { operations } = diff('{"t":{"a":1,"a":2},"n":1}', '{"t":{"a":1,"a":2},"n":2}');
      expect(operations).toEqual([{ op: 'replace', path: '/n', value: '2' }]);
    });

    test('are replaced together with their object', () => {
      const { operations } = diff(
        '{"t":{"a":1,"a":2,"b":{"c":1}}}',
        '{"t":{"a":0,"a":2,"b":{"c":1}}}',
      );
      expect(operations).toEqual([
        { op: 'replace', path: '/t', value: '{"a":0,"a":2,"b":{"c":1}}' },
      ]);
    });

    test('keep their digits and order, wherever their object is', () => {
      const object = '{"a":1.10,"a":[1e400,{"b":1,"b":2}]}';
      expect(diff('{"l":[1,[]]}', `{"l":[1,[${object}],2]}`).operations).toEqual([
        { op: 'replace', path: '/l', value: `[1,[${object}],2]` },
      ]);
      expect(diff(`{"l":[${object}]}`, `{"l":[0,${object}]}`).operations).toEqual([
        { op: 'add', path: '/l/0', value: '0' },
      ]);
      expect(diff(`{"x":${object}}`, '{"x":{"a":2}}').operations).toEqual([
        { op: 'replace', path: '/x', value: '{"a":2}' },
      ]);
    });

    test('differ even if only a hidden member differs', () => {
      expect(diff('{"t":{"a":1,"a":2}}', '{"t":{"a":0,"a":2}}').operations).toEqual([
        { op: 'replace', path: '/t', value: '{"a":0,"a":2}' },
      ]);
      expect(diff('{"a":{"b":1,"b":2},"a":1}', '{"a":1,"a":1}').uncarried).toEqual(['/a']);
    });

    test('in the row itself cannot be patched', () => {
      const { operations, uncarried } = diff('{"a":1,"a":2,"b":1}', '{"a":1,"a":2,"b":2}');
      expect(operations).toEqual([]);
      expect(uncarried).toEqual(['/a']);
      expect(diff('{"a":1,"a":2}', ' { "a":1, "a":2 } ').uncarried).toEqual([]);
    });
  });
});

describe('the size of a patch', () => {
  const records = (count: number, text = '') =>
    Array.from({ length: count }, (_, id) => ({
      id,
      name: `name ${id}`,
      tags: [id % 7, 'x'],
      text,
    }));
  const sizeOf = (before: unknown, after: unknown): number =>
    Buffer.byteLength(patchOf({ list: before }, { list: after }));

  test.each([
    ['scalars', Array.from({ length: 10_000 }, (_, index) => index % 10)],
    ['texts', Array.from({ length: 10_000 }, (_, index) => `text ${index}`)],
    ['records', records(10_000)],
  ])('is small for one of 10,000 %s that is inserted, removed or moved', (_, list) => {
    const without = list.toSpliced(4321, 1);
    expect(sizeOf(without, list)).toBeLessThan(100);
    expect(sizeOf(list, without)).toBeLessThan(60);
    expect(sizeOf(list, without.toSpliced(9, 0, list[4321] as never))).toBeLessThan(160);
  });

  test('is small for an element that changes while others are added and removed', () => {
    const list = records(50);
    const after = list
      .toSpliced(10, 2)
      .toSpliced(20, 0, { id: 99, name: 'new', tags: [], text: '' })
      .toSpliced(29, 1, { id: 30, name: 'changed', tags: [2, 'x'], text: '' });
    expect(patchOf({ list }, { list: after })).toContain(
      '{"op":"replace","path":"/list/29/name","value":"changed"}',
    );
    expect(sizeOf(list, after)).toBeLessThan(250);
  });

  test('is small for many elements that all change while one is inserted', () => {
    const list = records(2000, 'x'.repeat(200));
    const after: unknown[] = list.map(({ id, name, text }) => ({ id, name, tags: [], text }));
    after.unshift({ id: -1, name: 'new', tags: [], text: '' });
    expect(sizeOf(list, after)).toBeLessThan(2000 * 60);
  });

  test.each([100, 499])('stays one operation for a change %i levels deep', (levels) => {
    const deep = (core: string): string => '{"a":['.repeat(levels) + core + ']}'.repeat(levels);
    const [before, after] = [deep('[0,1.10]'), deep('[0,1.1]')];
    const { operations } = diff(before, after);
    expect(operations).toHaveLength(1);
    expectApplied(before, operationsText(operations), after);
    expect(diff(before, deep('[0,1.10]')).operations).toEqual([]);
  });
});

describe('1,000 random pairs of rows', () => {
  const scalar = oneof(
    constantFrom('1.10', '-0', '1e400', '9007199254740993', 'true', 'null', '0', '1', '12'),
    string({ maxLength: 6 }).map((text) => JSON.stringify(text)),
    constantFrom('"\\ud800"', '"\\u0041"', '"\\/"', '"a\\"},b"', '"é"', `"${'long '.repeat(40)}"`),
  );
  const name = constantFrom('"a"', '"b"', '"c"', '"a/b"', '"~"', '""', '"\\u0061"', '"__proto__"');
  const space = constantFrom('', '', '', ' ', '\n  ');
  const value: Memo<string> = memo((depth) => {
    if (depth <= 1) return scalar;
    const list = array(value(depth - 1), { maxLength: 8 });
    return oneof(
      scalar,
      tuple(list, space).map(([parts, gap]) => `[${gap}${parts.join(`${gap},${gap}`)}]`),
      object(depth),
    );
  });
  const object: Memo<string> = memo((depth) =>
    tuple(array(tuple(name, value(depth - 1)), { maxLength: 7 }), space).map(([members, gap]) => {
      const parts = members.map(([key, each]) => `${key}${gap}:${gap}${each}`);
      return `{${gap}${parts.join(`${gap},${gap}`)}${gap}}`;
    }),
  );
  const change = tuple(nat(), scalar);

  /** Changes a text here and there, or gives back another one. */
  const pair = tuple(object(4), object(4), array(change, { maxLength: 4 }), boolean()).map(
    ([before, other, changes, isOther]): [string, string] => [
      before,
      isOther ? other : changes.reduce((text, [at, put]) => withScalar(text, at, put), before),
    ],
  );

  test('are transformed into each other by patches of three operations only', () => {
    assert(
      property(pair, ([before, after]) => {
        const { operations, uncarried } = diff(before, after);
        if (uncarried.length > 0) return;
        expectApplied(before, operationsText(operations), after);
        // fast-json-patch takes no operation on __proto__.
        if ((before + after).includes('__proto__')) return;
        const patch = JSON.parse(operationsText(operations)) as Operation[];
        const applied = fastJsonPatch.applyPatch(JSON.parse(before), patch).newDocument;
        expect(applied).toEqual(JSON.parse(after));
      }),
      runs(200),
    );
  });

  test('may differ in formatting and one value: the other values are not touched', () => {
    assert(
      property(object(4), nat(), scalar, (text, at, put) => {
        const formatted = reformat(text);
        expect(diff(text, formatted).operations).toEqual([]);
        const edited = withScalar(formatted, at, put);
        const { operations, uncarried } = diff(text, edited);
        if (uncarried.length > 0) return;
        expectApplied(text, operationsText(operations), edited);
        if (parseJson(text).duplicates.length > 0) return;
        expect(operations.length).toBeLessThan(2);
        expect(operations.every(({ op }) => op === 'replace')).toBe(true);
      }),
      runs(200),
    );
  });
});

function diff(before: string, after: string): RowDiff {
  return diffRows(parseJson(before) as ParsedObject, parseJson(after) as ParsedObject);
}

function patchOf(before: unknown, after: unknown): string {
  const [from, to] = [compactJson(fromNative(before)), compactJson(fromNative(after))];
  const patch = operationsText(diff(from, to).operations);
  expectApplied(from, patch, to);
  // The layout of the text makes no difference.
  const formatted = diff(from, reformat(to));
  expect(operationsText(formatted.operations)).toBe(patch);
  return patch;
}

/** The service takes the patch, and makes the one row of the other. */
function expectApplied(before: string, patch: string, after: string): void {
  const { operations, violations } = checkOperations(parseJson(patch).value);
  expect(violations.map(({ code }) => code)).toEqual(operations.length > 0 ? [] : ['patch.empty']);
  const outcome = applyPatch(parseJson(before).value as JsonObject, operations);
  if (!('row' in outcome)) throw new Error(`${patch} fails: ${JSON.stringify(outcome)}`);
  expect(jsonEqual(outcome.row, parseJson(after).value), `${before} ${patch} ${after}`).toBe(true);
}

/** Replaces a scalar by another. */
function withScalar(text: string, at: number, scalar: string): string {
  const tokens = text.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|[-+.\w]+/g);
  const scalars = [...tokens].filter(([, , colon]) => colon === undefined);
  const chosen = scalars[at % (scalars.length || 1)];
  if (chosen === undefined) return text;
  return text.slice(0, chosen.index) + scalar + text.slice(chosen.index + chosen[0].length);
}
