import {
  array,
  assert,
  boolean,
  constantFrom,
  memo,
  nat,
  oneof,
  property,
  string,
  tuple,
  type Memo,
  runs,
} from '../support/property.ts';
import fastJsonPatch, { type Operation } from 'fast-json-patch';
import { describe, expect, test } from 'vitest';
import { applyPatch, checkOperations } from '../../src/contract/index.ts';
import {
  diffRows,
  operationsText,
  type RowDiff,
  type TextOperation,
} from '../../src/diff/index.ts';
import {
  compactJson,
  fromNative,
  jsonEqual,
  reformat,
  type JsonObject,
  type ParsedObject,
  parseJson,
} from '../../src/json/index.ts';

describe('the patch between two rows', () => {
  test.each([
    ['the same', { a: 1 }, { a: 1 }, '[]'],
    ['a value', { a: 1, b: 2 }, { a: 1, b: 3 }, '[{"op":"replace","path":"/b","value":3}]'],
    ['another type', { a: { b: 1 } }, { a: [1] }, '[{"op":"replace","path":"/a","value":[1]}]'],
    ['a name more', { a: 1 }, { a: 1, b: 2 }, '[{"op":"add","path":"/b","value":2}]'],
    ['a name less', { a: 1, b: 2 }, { b: 2 }, '[{"op":"remove","path":"/a"}]'],
    ['the only name less', { a: 1 }, {}, '[{"op":"remove","path":"/a"}]'],
    ['another order', { a: 1, b: 2 }, { b: 2, a: 1 }, '[]'],
    [
      'odd names',
      { 'a/b~': { '': 1 } },
      { 'a/b~': { '': 2 } },
      '[{"op":"replace","path":"/a~1b~0/","value":2}]',
    ],
    ['1 that becomes 12', { a: 1 }, { a: 12 }, '[{"op":"replace","path":"/a","value":12}]'],
    ['an end more', { a: [1, 2] }, { a: [1, 2, 3] }, '[{"op":"add","path":"/a/2","value":3}]'],
    ['an end less', { a: [1, 2] }, { a: [1] }, '[{"op":"remove","path":"/a/1"}]'],
    ['a start more', { a: [[1], 2] }, { a: [0, [1], 2] }, '[{"op":"add","path":"/a/0","value":0}]'],
    [
      'a container that ends',
      { a: { b: [1] }, c: 1 },
      { a: { b: [1] } },
      '[{"op":"remove","path":"/c"}]',
    ],
  ])('%s', (_, before, after, patch) => {
    expect(patchOf(before, after)).toBe(patch);
  });

  test.each([
    ['[{"n":1.10},{"n":1}]', '[{"n":1.1},{"n":1}]', '/a/0/n', '1.1'],
    ['{"b":0,"k":"a long enough text"}', '{"b":-0,"k":"a long enough text"}', '/a/b', '-0'],
    ['1e400', '10e399', '/a', '10e399'],
    ['9007199254740993', '9007199254740992', '/a', '9007199254740992'],
    ['"\\ud800"', '"\\ud801"', '/a', '"\\ud801"'],
    ['1.10', '[1.10,2e400]', '/a', '[1.10,2e400]'],
  ])('carries %s to %s exactly', (before, after, path, value) => {
    const { operations } = diff(`{"a":${before}}`, `{"a":${after}}`);
    expect(operations).toEqual([{ op: 'replace', path, value }]);
  });

  test('a string is carried as compact JSON writes it', () => {
    expect(diff('{"a":"x"}', '{"a":"\\u0078\\/\\u00e9\\n"}').operations).toEqual([
      { op: 'replace', path: '/a', value: '"x/é\\n"' },
    ]);
  });

  test.each([
    ['{"a":"/\\u00e9","b":[1, 2]}', '{"a":"\\/é","b":[1,2]}'],
    ['{"a":{"b":1},"c":[]}', ' {\n "a" : { "b" :\t1 } ,\r\n "c" : [ ] }\n'],
    ['{"a": 1, "b": [{"c": 2}]}', '{"b":[{"c":2}],"a":1}'],
    ['{"\\u0061":1}', '{"a":1}'],
  ])('finds nothing between %s and %s, which say the same', (before, after) => {
    expect(diff(before, after).operations).toEqual([]);
  });

  test('an object that moved is distinguished from one that changed', () => {
    expect(diff('{"x":{"a":1,"b":2},"y":1}', '{"x":{"b":2,"a":1},"y":1}').reordered).toEqual([
      '/x',
    ]);
    expect(diff('{"x":{"a":1}}', '{"x":{"a":2,"c":1}}').reordered).toEqual([]);
    expect(diff('{"a":1,"b":2,"c":3}', '{"x":0,"a":1,"c":3}').reordered).toEqual([]);
    expect(diff('{"b":2,"a":1}', '{"a":1,"c":3,"b":2}').reordered).toEqual(['']);
  });

  test('an element whose names change places is found where it is now', () => {
    const { operations, reordered } = diff(
      '{"l":[{"a":1,"b":2},{"a":3,"b":4}]}',
      '{"l":[0,{"a":1,"b":2},{"b":4,"a":3}]}',
    );
    expect(operations).toEqual([{ op: 'add', path: '/l/0', value: '0' }]);
    expect(reordered).toEqual(['/l/2']);
  });

  describe('names that occur twice', () => {
    test('are left alone where nothing around them changes', () => {
      const { operations } = diff('{"t":{"a":1,"a":2},"n":1}', '{"t":{"a":1,"a":2},"n":2}');
      expect(operations).toEqual([{ op: 'replace', path: '/n', value: '2' }]);
    });

    test('are carried with the object that has them', () => {
      const { operations } = diff(
        '{"t":{"a":1,"a":2,"b":{"c":1}}}',
        '{"t":{"a":0,"a":2,"b":{"c":1}}}',
      );
      expect(operations).toEqual([
        { op: 'replace', path: '/t', value: '{"a":0,"a":2,"b":{"c":1}}' },
      ]);
    });

    test('are carried to the digit and in their order, wherever the object is', () => {
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

    test('differ where only a member differs that another one hides', () => {
      expect(diff('{"t":{"a":1,"a":2}}', '{"t":{"a":0,"a":2}}').operations).toEqual([
        { op: 'replace', path: '/t', value: '{"a":0,"a":2}' },
      ]);
      expect(diff('{"a":{"b":1,"b":2},"a":1}', '{"a":1,"a":1}').uncarried).toEqual(['/a']);
    });

    test('in the row itself cannot be carried', () => {
      const { operations, uncarried } = diff('{"a":1,"a":2,"b":1}', '{"a":1,"a":2,"b":2}');
      expect(operations).toEqual([]);
      expect(uncarried).toEqual(['/a']);
      expect(diff('{"a":1,"a":2}', ' { "a":1, "a":2 } ').uncarried).toEqual([]);
    });
  });
});

describe('the size of the patch', () => {
  const records = (count: number, text = '') =>
    Array.from({ length: count }, (_, id) => ({
      id,
      name: `name ${id}`,
      tags: [id % 7, 'x'],
      text,
    }));
  const sizeOf = (before: unknown, after: unknown): number =>
    Buffer.byteLength(patchOf({ list: before }, { list: after }));

  test('one element put in at the head of 10,000 takes at most 200 bytes', () => {
    const list = records(10_000);
    expect(sizeOf(list, [{ id: -1, name: 'new', tags: [] }, ...list])).toBeLessThanOrEqual(200);
  });

  test.each([
    ['scalars', Array.from({ length: 10_000 }, (_, index) => index % 10)],
    ['texts', Array.from({ length: 10_000 }, (_, index) => `text ${index}`)],
    ['records', records(10_000)],
  ])('one of 10,000 %s put in, taken out or moved', (_, list) => {
    const without = list.toSpliced(4321, 1);
    expect(sizeOf(without, list)).toBeLessThan(100);
    expect(sizeOf(list, without)).toBeLessThan(60);
    expect(sizeOf(list, without.toSpliced(9, 0, list[4321] as never))).toBeLessThan(160);
  });

  test('an element that changes where others come and go is changed, not replaced', () => {
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

  test('neighbours that change while one is inserted are matched by their common members', () => {
    const list = records(5);
    const after = list.map(({ id, name, tags }) => ({ id, name: `${name}!`, tags, text: '' }));
    after.splice(2, 0, { id: 77, name: 'new', tags: [], text: '' });
    expect(sizeOf(list, after)).toBeLessThan(480);
  });

  test('of many elements that all change while one is put in', () => {
    const list = records(2000, 'x'.repeat(200));
    const after: unknown[] = list.map(({ id, name, text }) => ({ id, name, tags: [], text }));
    after.unshift({ id: -1, name: 'new', tags: [], text: '' });
    expect(sizeOf(list, after)).toBeLessThan(2000 * 60);
  });

  test('a document that grew by a tenth sends about a tenth', () => {
    const list = records(1000, 'y'.repeat(100));
    const after = list.flatMap((each) =>
      each.id % 10 === 0 ? [{ ...each, id: each.id + 5000 }, each] : [each],
    );
    const whole = JSON.stringify(after).length;
    expect(sizeOf(list, after)).toBeLessThan(whole / 10 + 100 * 60);
  });

  test('is never much more than the value that it changes', () => {
    const list = Array.from({ length: 1000 }, (_, index) => index);
    const after = list.map((each) => (each * 7919) % 1000);
    expect(sizeOf(list, after)).toBeLessThan(JSON.stringify(after).length + 100);
  });

  test('the row itself is never replaced whole', () => {
    const names = Array.from({ length: 100 }, (_, index) => index);
    const before = Object.fromEntries(names.map((name) => [`a${name}`, name]));
    const after = Object.fromEntries(names.map((name) => [`b${name}`, name]));
    expect(patchOf(before, after)).not.toContain('"path":""');
  });

  test.each([98, 99, 100, 101, 499])('a change %i levels deep is carried', (levels) => {
    const deep = (core: string): string => '{"a":['.repeat(levels) + core + ']}'.repeat(levels);
    const [before, after] = [deep('[0,1.10]'), deep('[0,1.1]')];
    const { operations } = diff(before, after);
    expect(operations).toHaveLength(1);
    expectApplied(before, operationsText(operations), after);
    expect(diff(before, deep('[0,1.10]')).operations).toEqual([]);
  });

  test('arrays that change at each level are not compared twice at each', () => {
    const nested = (name: string): string =>
      `{"a":${`[[],"${name}",`.repeat(90)}"${name}"${']'.repeat(90)}}`;
    const { operations } = diff(nested('old'), nested('new'));
    expectApplied(nested('old'), operationsText(operations), nested('new'));
  });

  test('as many levels as are read do not crash', () => {
    const deep = (core: string): string =>
      `{"a":${'['.repeat(999)}${core}${']'.repeat(999)},"b":1}`;
    expect(diff(deep('1'), deep('1')).operations).toEqual([]);
    expect(diff(deep('1'), deep('2')).operations).toHaveLength(1);
  });
});

describe('1,000 random pairs', () => {
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

  test('each patch makes the one of the other, with three operations only', () => {
    assert(
      property(pair, ([before, after]) => {
        const { operations, uncarried } = diff(before, after);
        if (uncarried.length > 0) return;
        expectApplied(before, operationsText(operations), after);
      }),
      runs(200),
    );
  });

  /** An array, and the same after a few edits: elements added, removed, moved or changed. */
  const record = tuple(nat({ max: 9 }), scalar, value(2)).map(
    ([id, text, more]) => `{"id":${id},"text":${text},"more":${more}}`,
  );
  const element = oneof(record, record, scalar, value(3));
  const edit = tuple(nat({ max: 3 }), nat(), nat(), element);
  const lists = tuple(array(element, { maxLength: 30 }), array(edit, { maxLength: 6 })).map(
    ([before, edits]): [string[], string[]] => {
      const after = [...before];
      for (const [kind, at, to, put] of edits) {
        const index = at % (after.length + 1);
        if (kind === 0) after.splice(index, 0, put);
        else if (kind === 1) after.splice(to % (after.length + 1), 0, ...after.splice(index, 1));
        else if (kind === 2) after.splice(index, 1);
        else after[index] = withScalar(after[index] ?? put, to, '"changed"');
      }
      return [before, after];
    },
  );

  test('arrays whose elements come, go, move and change', () => {
    assert(
      property(lists, ([old, now]) => {
        const [before, after] = [`{"l":[${old.join(',')}]}`, `{"l":[${now.join(',')}]}`];
        const { operations } = diff(before, after);
        expectApplied(before, operationsText(operations), after);
        expect(lengthOf(operations)).toBeLessThanOrEqual(after.length + 100);
      }),
      runs(200),
    );
  });

  test('fast-json-patch makes the same of the patch, wherever it can hold the row', () => {
    assert(
      property(pair, ([before, after]) => {
        const { operations, uncarried } = diff(before, after);
        // It takes no operation on __proto__.
        if (uncarried.length > 0 || (before + after).includes('__proto__')) return;
        const patch = JSON.parse(operationsText(operations)) as Operation[];
        const applied = fastJsonPatch.applyPatch(JSON.parse(before), patch).newDocument;
        expect(applied).toEqual(JSON.parse(after));
      }),
      runs(200),
    );
  });

  test('a text reformatted and changed in one place leaves every other value as it is', () => {
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

function lengthOf(operations: readonly TextOperation[]): number {
  return operationsText(operations).length;
}

/** The service takes the patch, and makes the one row of the other. */
function expectApplied(before: string, patch: string, after: string): void {
  const { operations, violations } = checkOperations(parseJson(patch).value);
  expect(violations).toEqual([]);
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
