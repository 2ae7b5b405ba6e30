import * as fc from '../support/property.ts';
import fastJsonPatch from 'fast-json-patch';
import specCases from 'json-patch-test-suite/spec_tests.json' with { type: 'json' };
import cases from 'json-patch-test-suite/tests.json' with { type: 'json' };
import { applyPatch as applyRfc6902 } from 'rfc6902';
import { describe, expect, test } from 'vitest';
import {
  compactJson,
  fromNative,
  type Json,
  type JsonObject,
  parseJson,
} from '../../src/json/index.ts';
import { formatPointer, parsePointer, valueAt } from '../../src/json/pointer.ts';
import { applyPatch } from '../../src/contract/apply-patch.ts';
import { checkOperations, checkPatchBody, type PatchOperation } from '../../src/contract/patch.ts';

const RUNS = fc.runs(100);

/** Plain values whose -0 is 0, as the other implementations may leave it. */
function native(value: Json): unknown {
  return JSON.parse(compactJson(value));
}

function json(text: string): Json {
  return parseJson(text).value;
}

function row(text: string): JsonObject {
  return json(text) as JsonObject;
}

/** Checks and applies: the compact row, or the first violation's code and figures. */
function patched(rowText: string, operationsText: string): unknown {
  const { operations, violations } = checkOperations(json(operationsText));
  expect(violations).toEqual([]);
  const outcome = applyPatch(row(rowText), operations);
  if ('row' in outcome) return compactJson(outcome.row);
  const { code, path, params } = outcome.violation;
  expect(path).toBe(`/patch/${params['index']}`);
  return { code, ...params };
}

describe('checkPatchBody', () => {
  test('accepts the three operations, and ignores unknown fields', () => {
    const body = json(`{"comment":1,"patch":[
      {"op":"add","path":"/a~1b/-","value":null,"from":"/x","note":[]},
      {"op":"replace","path":"","value":{}},
      {"value":1,"path":"/a","op":"remove"}]}`);
    expect(checkPatchBody(body)).toEqual({
      violations: [],
      operations: [
        { op: 'add', path: '/a~1b/-', value: null },
        { op: 'replace', path: '', value: new Map() },
        { op: 'remove', path: '/a' },
      ],
    });
  });

  test('accepts an empty array', () => {
    expect(checkPatchBody(json('{"patch":[]}'))).toEqual({ operations: [], violations: [] });
  });

  test('uses the last of several members with the same name', () => {
    const body = json('{"patch":1,"patch":[{"op":"move","op":"remove","path":"a","path":"/a"}]}');
    expect(checkPatchBody(body)).toEqual({
      operations: [{ op: 'remove', path: '/a' }],
      violations: [],
    });
  });

  const FORM = '{ "patch": [ … ] }';
  test.each([
    ['[]', 'patch.no_wrapper', '', {}],
    ['[{"op":"remove","path":"/a"}]', 'patch.no_wrapper', '', {}],
    ['{}', 'patch.no_wrapper', '', {}],
    ['{"op":"remove","path":"/a"}', 'patch.no_wrapper', '', {}],
    ['{"Patch":[]}', 'patch.no_wrapper', '', {}],
    ['"x"', 'body.not_object', '', { found: 'a string', form: FORM }],
    ['1', 'body.not_object', '', { found: 'a number', form: FORM }],
    ['true', 'body.not_object', '', { found: 'a boolean', form: FORM }],
    ['null', 'body.not_object', '', { found: 'null', form: FORM }],
    ['{"patch":{}}', 'patch.not_array', '/patch', { found: 'an object' }],
    ['{"patch":null}', 'patch.not_array', '/patch', { found: 'null' }],
    ['{"patch":"[]"}', 'patch.not_array', '/patch', { found: 'a string' }],
  ])('rejects %s: %s', (text, code, path, params) => {
    expect(checkPatchBody(json(text))).toEqual({
      operations: [],
      violations: [{ code, path, params }],
    });
  });

  test.each([
    ['null', 'patch.operation_not_object', '', { found: 'null' }],
    ['[]', 'patch.operation_not_object', '', { found: 'an array' }],
    ['{"path":"/a"}', 'patch.op_missing', '', {}],
    ['{"op":1,"path":"/a"}', 'patch.op_not_string', '/op', {}],
    ['{"op":"Add","path":"/a","value":1}', 'patch.op_unknown', '/op', { op: 'Add' }],
    ['{"op":"_get","path":"/a"}', 'patch.op_unknown', '/op', { op: '_get' }],
    ['{"op":"constructor","path":"/a"}', 'patch.op_unknown', '/op', { op: 'constructor' }],
    ['{"op":"test","path":"/a","value":1}', 'patch.op_unsupported', '/op', { op: 'test' }],
    ['{"op":"move","path":"/a","from":"/b"}', 'patch.op_unsupported', '/op', { op: 'move' }],
    ['{"op":"copy","path":"/a","from":"/b"}', 'patch.op_unsupported', '/op', { op: 'copy' }],
    ['{"op":"remove"}', 'patch.path_missing', '', { op: 'remove' }],
    ['{"op":"remove","path":["a"]}', 'patch.path_not_string', '/path', { op: 'remove' }],
    [
      '{"op":"remove","path":"a"}',
      'patch.path_malformed',
      '/path',
      { pointer: 'a', reason: 'it must be empty or start with /' },
    ],
    [
      '{"op":"add","path":"/a~2","value":1}',
      'patch.path_malformed',
      '/path',
      { pointer: '/a~2', reason: 'a ~ must be followed by 0 or 1; write ~ itself as ~0' },
    ],
    ['{"op":"add","path":"/a"}', 'patch.value_missing', '', { op: 'add', pointer: '/a' }],
    ['{"op":"replace","path":""}', 'patch.value_missing', '', { op: 'replace', pointer: '' }],
    ['{"op":"remove","path":""}', 'patch.remove_root', '/path', {}],
    ['{"op":"add","path":"","value":[]}', 'patch.root_not_object', '/value', { found: 'an array' }],
    [
      '{"op":"replace","path":"","value":null}',
      'patch.root_not_object',
      '/value',
      { found: 'null' },
    ],
  ])('rejects the operation %s: %s', (text, code, path, params) => {
    const good = '{"op":"remove","path":"/z"}';
    const expected = { code, path: `/patch/1${path}`, params: { index: 1, ...params } };
    expect(checkPatchBody(json(`{"patch":[${good},${text}]}`)).violations).toEqual([expected]);
    expect(checkOperations(json(`[${good},${text}]`), '').violations).toEqual([
      { ...expected, path: `/1${path}` },
    ]);
  });

  test('lists all violations of all operations in order', () => {
    const body = json('{"patch":[{},7,{"op":"add","path":"x"},{"op":"move"}]}');
    const { operations, violations } = checkPatchBody(body);
    expect(operations).toEqual([]);
    expect(violations.map(({ code, path }) => `${code} ${path}`)).toEqual([
      'patch.op_missing /patch/0',
      'patch.path_missing /patch/0',
      'patch.operation_not_object /patch/1',
      'patch.path_malformed /patch/2/path',
      'patch.value_missing /patch/2',
      'patch.op_unsupported /patch/3/op',
      'patch.path_missing /patch/3',
    ]);
  });

  test('lists a hundred thousand violations without a stack overflow', () => {
    const { violations } = checkOperations(json(`[${'1,'.repeat(99_999)}1]`));
    expect(violations.length).toBe(100_000);
  });
});

describe('applyPatch', () => {
  test.each([
    // Objects
    ['{}', '[]', '{}'],
    ['{}', '[{"op":"add","path":"/a","value":1}]', '{"a":1}'],
    ['{"a":1,"b":2}', '[{"op":"add","path":"/a","value":[]}]', '{"a":[],"b":2}'],
    ['{"a":1,"b":2}', '[{"op":"replace","path":"/a","value":1.10}]', '{"a":1.10,"b":2}'],
    ['{"a":1,"b":2}', '[{"op":"remove","path":"/a"}]', '{"b":2}'],
    ['{"a":null}', '[{"op":"replace","path":"/a","value":0}]', '{"a":0}'],
    ['{"a":null}', '[{"op":"remove","path":"/a"}]', '{}'],
    ['{"":{"":1}}', '[{"op":"replace","path":"//","value":2}]', '{"":{"":2}}'],
    ['{"a/b":1,"~1":2}', '[{"op":"remove","path":"/a~1b"}]', '{"~1":2}'],
    ['{"a/b":1,"~1":2}', '[{"op":"remove","path":"/~01"}]', '{"a/b":1}'],
    ['{}', '[{"op":"add","path":"/-","value":1}]', '{"-":1}'],
    // Missing parents become objects, even where the token is a number
    ['{}', '[{"op":"add","path":"/a/b/c","value":1}]', '{"a":{"b":{"c":1}}}'],
    ['{}', '[{"op":"add","path":"/a/0/-","value":1}]', '{"a":{"0":{"-":1}}}'],
    ['{"a":[{}]}', '[{"op":"add","path":"/a/0/x/y","value":1}]', '{"a":[{"x":{"y":1}}]}'],
    ['{}', '[{"op":"add","path":"//x","value":1}]', '{"":{"x":1}}'],
    ['{}', '[{"op":"add","path":"/__proto__/x","value":1}]', '{"__proto__":{"x":1}}'],
    ['{}', '[{"op":"add","path":"/constructor/x","value":1}]', '{"constructor":{"x":1}}'],
    // Arrays
    ['{"a":[1,2]}', '[{"op":"add","path":"/a/0","value":0}]', '{"a":[0,1,2]}'],
    ['{"a":[1,2]}', '[{"op":"add","path":"/a/2","value":3}]', '{"a":[1,2,3]}'],
    ['{"a":[1,2]}', '[{"op":"add","path":"/a/-","value":3}]', '{"a":[1,2,3]}'],
    ['{"a":[]}', '[{"op":"add","path":"/a/0","value":[1]}]', '{"a":[[1]]}'],
    ['{"a":[1,2]}', '[{"op":"replace","path":"/a/1","value":3}]', '{"a":[1,3]}'],
    ['{"a":[1,2]}', '[{"op":"remove","path":"/a/0"}]', '{"a":[2]}'],
    ['{"a":[null]}', '[{"op":"remove","path":"/a/0"}]', '{"a":[]}'],
    // The root
    ['{"a":1}', '[{"op":"add","path":"","value":{"b":1}}]', '{"b":1}'],
    ['{"a":1}', '[{"op":"replace","path":"","value":{}}]', '{}'],
    [
      '{"a":1}',
      '[{"op":"replace","path":"","value":{"b":{}}},{"op":"add","path":"/b/c","value":1}]',
      '{"b":{"c":1}}',
    ],
    // In sequence
    [
      '{"a":[{"b":1}]}',
      '[{"op":"remove","path":"/a/0"},{"op":"add","path":"/a/-","value":2},{"op":"remove","path":"/a"}]',
      '{}',
    ],
  ])('applied to %s, %s gives %s', (before, operations, after) => {
    expect(patched(before, operations)).toBe(after);
  });

  const missing = 'patch.target_missing';
  const notContainer = 'patch.parent_not_container';
  const badIndex = 'patch.index_invalid';
  const outside = 'patch.index_out_of_bounds';
  test.each([
    ['{}', 'remove', '/a', { code: missing, at: '' }],
    ['{}', 'replace', '/a', { code: missing, at: '' }],
    ['{}', 'replace', '/__proto__', { code: missing, at: '' }],
    ['{}', 'remove', '/constructor', { code: missing, at: '' }],
    ['{"a/":{}}', 'remove', '/a~1/b', { code: missing, at: '/a~1' }],
    ['{"a":{}}', 'replace', '/a/b/c/d', { code: missing, at: '/a' }],
    ['{"a":[{}]}', 'remove', '/a/0/x/y', { code: missing, at: '/a/0' }],
    ['{"a":1}', 'add', '/a/b', { code: notContainer, at: '/a', found: 'a number' }],
    ['{"a":null}', 'add', '/a/b/c', { code: notContainer, at: '/a', found: 'null' }],
    ['{"a":"x"}', 'replace', '/a/0', { code: notContainer, at: '/a', found: 'a string' }],
    ['{"a":[true]}', 'remove', '/a/0/b', { code: notContainer, at: '/a/0', found: 'a boolean' }],
    ['{"a":[1]}', 'add', '/a/2', { code: outside, length: 1 }],
    ['{"a":[1]}', 'replace', '/a/1', { code: outside, length: 1 }],
    ['{"a":[]}', 'remove', '/a/0', { code: outside, length: 0 }],
    ['{"a":[1]}', 'add', '/a/5/x', { code: outside, length: 1 }],
    ['{"a":[1]}', 'add', '/a/1/x', { code: outside, length: 1 }],
    ['{"a":[1]}', 'add', '/a/9007199254740993', { code: outside, length: 1 }],
    ['{"a":[1]}', 'remove', '/a/-', { code: badIndex, token: '-' }],
    ['{"a":[1]}', 'replace', '/a/-', { code: badIndex, token: '-' }],
    ['{"a":[{}]}', 'add', '/a/-/x', { code: badIndex, token: '-' }],
    ['{"a":[1,2]}', 'add', '/a/01', { code: badIndex, token: '01' }],
    ['{"a":[1,2]}', 'add', '/a/-1', { code: badIndex, token: '-1' }],
    ['{"a":[1,2]}', 'replace', '/a/1e0', { code: badIndex, token: '1e0' }],
    ['{"a":[1,2]}', 'remove', '/a/length', { code: badIndex, token: 'length' }],
    ['{"a":[1,2]}', 'remove', '/a/', { code: badIndex, token: '' }],
  ])('applied to %s, %s %s is rejected', (text, op, path, expected) => {
    const value = op === 'remove' ? '' : ',"value":0';
    const operations = `[{"op":"add","path":"/z","value":0},{"op":"${op}","path":"${path}"${value}}]`;
    const figures =
      expected.code === missing || expected.code === notContainer
        ? { op, pointer: path }
        : { pointer: path };
    expect(patched(text, operations)).toEqual({ index: 1, ...figures, ...expected });
  });

  test.each<[PatchOperation, object]>([
    [
      { op: 'remove', path: '' },
      { code: 'patch.remove_root', params: { index: 0 } },
    ],
    [
      { op: 'add', path: '', value: [] },
      { code: 'patch.root_not_object', params: { index: 0, found: 'an array' } },
    ],
    [
      { op: 'remove', path: 'a' },
      {
        code: 'patch.path_malformed',
        params: { index: 0, pointer: 'a', reason: 'it must be empty or start with /' },
      },
    ],
  ])('rejects an operation that was not checked: %j', (operation, expected) => {
    const outcome = applyPatch(new Map(), [operation]);
    expect(outcome).toEqual({ violation: { path: '/patch/0', ...expected } });
  });

  test('shares values off the path with the row instead of copying them', () => {
    const before = row('{"a":{"x":1},"b":{"y":[]},"c":[[1],[2]]}');
    const outcome = applyPatch(before, [
      { op: 'add', path: '/b/z', value: null },
      { op: 'remove', path: '/c/0' },
    ]);
    const after = 'row' in outcome ? outcome.row : new Map<string, Json>();
    for (const path of [['a'], ['b', 'y']])
      expect(valueAt(after, path)).toBe(valueAt(before, path));
    expect(valueAt(after, ['c', '0'])).toBe(valueAt(before, ['c', '1']));
    expect(valueAt(after, ['b'])).not.toBe(valueAt(before, ['b']));
  });

  test('changes neither the row nor the operations, whether it succeeds or fails', () => {
    const text = '{"a":{"b":[1,{"c":2}]},"d":[]}';
    const value = json('{"e":[{"f":1}]}');
    const landing: PatchOperation[] = [
      { op: 'add', path: '/n', value },
      { op: 'add', path: '/n/e/0/g', value },
      { op: 'remove', path: '/n/e/0/f' },
      { op: 'replace', path: '/a/b/1/c', value },
      { op: 'add', path: '/a/b/1/c/e/-', value: 'x' },
      { op: 'replace', path: '', value },
      { op: 'add', path: '/e/0/h', value: true },
    ];
    const failing: PatchOperation[] = [...landing, { op: 'remove', path: '/none' }];
    for (const operations of [landing, failing]) {
      const before = row(text);
      const outcome = applyPatch(before, operations);
      expect('row' in outcome).toBe(operations === landing);
      expect(compactJson(before)).toBe(text);
      expect(compactJson(value)).toBe('{"e":[{"f":1}]}');
    }
  });

  test.each([
    ['a path of 1,000 names', '/a'.repeat(1000), '1', true],
    ['a path of 1,001 names', '/a'.repeat(1001), '1', false],
    ['a path of 500,000 names', '/a'.repeat(500_000), '1', false],
    ['900 names and 100 levels', '/a'.repeat(900), '['.repeat(100) + ']'.repeat(100), true],
    ['900 names and 101 levels', '/a'.repeat(900), '['.repeat(101) + ']'.repeat(101), false],
  ])('creates no row with more than 1,000 levels: %s', (_, path, value, isApplied) => {
    const outcome = applyPatch(new Map(), [{ op: 'add', path, value: json(value) }]);
    if ('row' in outcome) expect(parseJson(compactJson(outcome.row)).duplicates).toEqual([]);
    else expect(outcome.violation.params.reason).toBe('it leads to more than 1000 levels');
    expect('row' in outcome).toBe(isApplied);
  });

  test('applies thousands of insertions and removals to an array of thousands', () => {
    const list = Array.from({ length: 10_000 }, (_, index) => index);
    const operations = Array.from({ length: 5_000 }, (_, index): PatchOperation => {
      return index % 2 === 0
        ? { op: 'add', path: '/list/0', value: String(index) }
        : { op: 'remove', path: '/list/1' };
    });
    const outcome = applyPatch(fromNative({ list }) as JsonObject, operations);
    const after = 'row' in outcome ? outcome.row.get('list') : undefined;
    expect(Array.isArray(after) ? [after.length, after[0]] : after).toEqual([10_000, '4998']);
  });

  test('copies a container once per patch, because a copy for each operation would take too long', () => {
    const list = Array.from({ length: 200_000 }, () => true);
    const operations = Array.from({ length: 100_000 }, (_, index): PatchOperation => {
      return { op: 'replace', path: `/list/${index}`, value: false };
    });
    const outcome = applyPatch(new Map([['list', list]]), operations);
    const after = 'row' in outcome ? outcome.row.get('list') : undefined;
    expect(Array.isArray(after) ? after.lastIndexOf(false) : after).toBe(99_999);
    expect(list.indexOf(false as never)).toBe(-1);
  });
});

describe('applyPatch and the public test suite of RFC 6902', () => {
  interface Case {
    readonly comment?: string;
    readonly doc: unknown;
    readonly patch: readonly { op: string; path: string; value?: unknown }[];
    readonly expected?: unknown;
    readonly error?: string;
    readonly disabled?: boolean;
  }

  // Left out: cases with move, copy, test or an unknown op, since the service takes three
  // operations; and the disabled ones.
  const usable = [...(cases as Case[]), ...(specCases as Case[])].filter(
    ({ patch, disabled }) =>
      disabled !== true && patch.every(({ op }) => ['add', 'replace', 'remove'].includes(op)),
  );
  // The service creates missing parents (PATCH rule 2), where the RFC has an error.
  const createsParents = new Set(['/a/b', '/baz/bat']);

  test('have the expected number of applicable cases', () => {
    expect(usable.length).toBe(62);
  });

  // A row is an object, and many cases have another root: each document is put one level down.
  test.each(usable.map((each) => [each.comment ?? JSON.stringify(each.patch), each] as const))(
    'agree: %s',
    (_, { doc, patch, expected, error }) => {
      const nested = patch.map((operation) => ({ ...operation, path: `/doc${operation.path}` }));
      const { operations, violations } = checkOperations(fromNative(nested));
      const outcome = applyPatch(new Map([['doc', fromNative(doc)]]), operations);
      const refused = violations.length > 0 || 'violation' in outcome;
      const deviates = patch.some(({ path }) => error !== undefined && createsParents.has(path));
      expect(refused).toBe(error !== undefined && !deviates);
      if (expected !== undefined && 'row' in outcome) {
        expect(native(outcome.row)).toEqual({ doc: expected });
      }
    },
  );
});

describe('applyPatch and other implementations', () => {
  const name = fc.constantFrom('a', 'b', '0', '1', '', 'a/b', '~1');
  const document = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.constant('text')),
      tie('object'),
      fc.array(tie('value'), { maxLength: 4 }),
    ),
    object: fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  }));
  /** Most operations follow what exists, by choices among the members on each level. */
  const step = fc.record({
    op: fc.constantFrom('add' as const, 'replace' as const, 'remove' as const),
    choices: fc.array(fc.nat(9), { minLength: 1, maxLength: 4 }),
    extra: fc.option(name, { freq: 2 }),
    value: document.value,
  });

  interface Plain {
    op: 'add' | 'replace' | 'remove';
    path: string;
    value?: unknown;
  }

  interface Choice {
    op: Plain['op'];
    choices: number[];
    extra: string | null;
    value: unknown;
  }

  function plan(doc: unknown, { op, choices, extra, value }: Choice): Plain {
    const tokens: string[] = [];
    let at: unknown = doc;
    for (const choice of choices) {
      if (typeof at !== 'object' || at === null) break;
      const keys = Object.keys(at);
      if (keys.length === 0) break;
      const key = keys[choice % keys.length] ?? '';
      tokens.push(key);
      at = (at as Record<string, unknown>)[key];
    }
    if (op === 'add' && Array.isArray(at)) tokens.push('-');
    else if (extra !== null) tokens.push(extra);
    const path = formatPointer(tokens);
    return op === 'remove' ? { op, path } : { op, path, value };
  }

  /** RFC 6902 by the shortest way, with missing parents created; throws where it refuses. */
  function model(doc: unknown, { op, path, value }: Plain): unknown {
    const tokens = path.split('/').slice(1);
    const names = tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
    return change(doc, names);

    function change(parent: unknown, [token, ...rest]: string[]): unknown {
      if (token === undefined) return value;
      if (Array.isArray(parent)) return changeList(parent, token, rest);
      if (typeof parent !== 'object' || parent === null) throw new Error('no container');
      const members = new Map(Object.entries(parent));
      const absent = !members.has(token);
      if (absent && op !== 'add') throw new Error('missing');
      if (rest.length === 0 && op === 'remove') members.delete(token);
      else members.set(token, change(absent ? {} : members.get(token), rest));
      return Object.fromEntries(members);
    }

    function changeList(list: unknown[], token: string, rest: string[]): unknown[] {
      const adds = op === 'add' && rest.length === 0;
      const index = token === '-' && adds ? list.length : Number(token);
      if (!/^(-|0|[1-9]\d*)$/.test(token) || Number.isNaN(index)) throw new Error('no index');
      if (index > list.length - (adds ? 0 : 1)) throw new Error('out of bounds');
      if (adds) return list.toSpliced(index, 0, value);
      if (op === 'remove' && rest.length === 0) return list.toSpliced(index, 1);
      return list.with(index, change(list[index], rest));
    }
  }

  const attempt = (action: () => unknown): unknown => {
    try {
      return action();
    } catch {
      return 'refused';
    }
  };

  function ours(doc: unknown, patch: readonly Plain[]): unknown {
    const { operations, violations } = checkOperations(fromNative(patch));
    if (violations.length > 0) return 'refused';
    const before = fromNative(doc) as JsonObject;
    const text = compactJson(before);
    const outcome = applyPatch(before, operations);
    expect(compactJson(before)).toBe(text);
    return 'row' in outcome ? native(outcome.row) : 'refused';
  }

  test('agree on one operation with a plain model', () => {
    fc.assert(
      fc.property(document.object, step, (doc, choice) => {
        const operation = plan(doc, choice);
        const isRoot = operation.path === '';
        const isObject = operation.value instanceof Object && !Array.isArray(operation.value);
        const expected = isRoot && !isObject ? 'refused' : attempt(() => model(doc, operation));
        expect(ours(doc, [operation])).toEqual(expected);
      }),
      fc.runs(250),
    );
  });

  /** Operations that all land one after the other, and that the other implementations know too. */
  function landingPatch(doc: unknown, choices: readonly Choice[]): Plain[] {
    const patch: Plain[] = [];
    let current: unknown = doc;
    for (const choice of choices) {
      const operation = plan(current, choice);
      // The other libraries accept any value as the root, and create no parents.
      if (operation.path === '' || createsParent(current, operation.path)) continue;
      const next = attempt(() => model(current, operation));
      if (next === 'refused') continue;
      current = next;
      patch.push(operation);
    }
    return patch;
  }

  function createsParent(doc: unknown, path: string): boolean {
    const tokens = parsePointer(path) ?? [];
    return valueAt(fromNative(doc), tokens.slice(0, -1)) === undefined;
  }

  test('agree on several operations with rfc6902 and fast-json-patch', () => {
    fc.assert(
      fc.property(document.object, fc.array(step, { maxLength: 8 }), (doc, choices) => {
        const patch = landingPatch(doc, choices);
        const ourRow = ours(doc, patch);
        const theirs = structuredClone(doc);
        const failures = applyRfc6902(theirs, structuredClone(patch) as never).filter(Boolean);
        expect(failures).toEqual([]);
        expect(ourRow).toEqual(theirs);
        const operations = structuredClone(patch) as never;
        const other = fastJsonPatch.applyPatch(structuredClone(doc), operations, true, false);
        expect(ourRow).toEqual(other.newDocument);
      }),
      RUNS,
    );
  });

  test('agree that a failing last operation changes nothing, and name it', () => {
    fc.assert(
      fc.property(document.object, fc.array(step, { maxLength: 6 }), (doc, choices) => {
        const patch = [...landingPatch(doc, choices), { op: 'remove' as const, path: '/none' }];
        const before = fromNative(doc) as JsonObject;
        const outcome = applyPatch(before, checkOperations(fromNative(patch)).operations);
        expect(outcome).toMatchObject({
          violation: { code: 'patch.target_missing', path: `/patch/${patch.length - 1}` },
        });
        expect(compactJson(before)).toBe(compactJson(fromNative(doc)));
      }),
      RUNS,
    );
  });
});
