import { describe, expect, test } from 'vitest';
import { ROW_SIZE } from '../../src/contract/index.ts';
import { simulatePatch, validatePatch } from '../../src/validator/index.ts';
import { brief, expectWhole } from './findings.ts';

const wrapped = (...operations: string[]): string => `{"patch":[${operations.join(',')}]}`;
const replacing = (levels: number): string =>
  wrapped(`{"op":"replace","path":"","value":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`);
const add = '{"op":"add","path":"/a","value":1}';

describe('validatePatch checks', () => {
  test('the levels of a patch against its own limit', () => {
    const [finding] = validatePatch(replacing(1001));
    expect(finding?.message).toContain('more than 1003 levels: flatten the nesting');
    expect(finding?.hint).toContain('lectern reads at most 1003 levels');
  });

  test.each<[string, string, string[]]>([
    ['a clean patch', wrapped(add, '{"op":"remove","path":"/b"}'), []],
    ['an empty array', wrapped(), []],
    ['no JSON', '{"patch":[', ['body.syntax']],
    ['a row of 1,000 levels', replacing(1000), ['body.deep']],
    ['a row of 1,001 levels', replacing(1001), ['body.syntax']],
    ['a body that is not an object', '7', ['body.not_object']],
    ['a missing wrapper', `[${add}]`, ['patch.no_wrapper']],
    [
      'a missing wrapper next to other members',
      '[{"op":"ad"}]',
      ['patch.no_wrapper', 'patch.op_unknown /0/op', 'patch.path_missing /0'],
    ],
    ['a wrapper with another name', `{"ops":[${add}]}`, ['patch.no_wrapper']],
    ['a patch that is not an array', `{"patch":${add}}`, ['patch.not_array /patch']],
    ['an operation that is not an object', wrapped('4'), ['patch.operation_not_object /patch/0']],
    ['a missing op', wrapped('{"path":"/a"}'), ['patch.op_missing /patch/0']],
    [
      'an op that is not a string',
      wrapped('{"op":1,"path":"/a"}'),
      ['patch.op_not_string /patch/0/op'],
    ],
    ['an unknown op', wrapped('{"op":"put","path":"/a"}'), ['patch.op_unknown /patch/0/op']],
    [
      'move',
      wrapped('{"op":"move","from":"/a","path":"/b"}'),
      ['patch.op_unsupported /patch/0/op'],
    ],
    ['a missing path', wrapped('{"op":"remove"}'), ['patch.path_missing /patch/0']],
    [
      'a path that is not a string',
      wrapped('{"op":"remove","path":0}'),
      ['patch.path_not_string /patch/0/path'],
    ],
    [
      'a malformed path',
      wrapped('{"op":"remove","path":"a"}'),
      ['patch.path_malformed /patch/0/path'],
    ],
    ['a missing value', wrapped('{"op":"add","path":"/a"}'), ['patch.value_missing /patch/0']],
    ['null as a value', wrapped('{"op":"add","path":"/a","value":null}'), []],
    [
      'the removal of the root',
      wrapped('{"op":"remove","path":""}'),
      ['patch.remove_root /patch/0/path'],
    ],
    [
      'a root that is not an object',
      wrapped('{"op":"add","path":"","value":[]}'),
      ['patch.root_not_object /patch/0/value'],
    ],
    [
      'a lossy number',
      wrapped('{"op":"add","path":"/a","value":1e400}'),
      ['body.lossy_number /patch/0/value'],
    ],
    ['a duplicate name', '{"patch":[],"patch":[]}', ['body.duplicate_name /patch']],
    [
      'all violations',
      wrapped('{"op":"x"}', '{"op":"add"}'),
      [
        'patch.op_unknown /patch/0/op',
        'patch.path_missing /patch/0',
        'patch.path_missing /patch/1',
        'patch.value_missing /patch/1',
      ],
    ],
  ])('%s', (_, text, expected) => {
    const findings = validatePatch(text);
    expect(brief(findings)).toEqual(expected);
    expectWhole(findings);
  });

  test('and reports line and column', () => {
    const [finding] = validatePatch(`{"patch": [\n  {"op": "put", "path": "/a"}\n]}`);
    expect(finding).toMatchObject({ line: 2, column: 10 });
  });
});

describe('simulatePatch checks', () => {
  test.each<[string, string, string, string[], string | undefined]>([
    ['a patch that applies', wrapped(add), '{"b":1.10}', [], '{"b":1.10,"a":1}'],
    [
      'a patch that creates parents',
      wrapped('{"op":"add","path":"/x/y","value":1}'),
      '{}',
      [],
      '{"x":{"y":1}}',
    ],
    [
      'a missing target',
      wrapped('{"op":"remove","path":"/a"}'),
      '{}',
      ['patch.target_missing /patch/0'],
      undefined,
    ],
    [
      'a scalar as parent',
      wrapped('{"op":"add","path":"/a/b","value":1}'),
      '{"a":1}',
      ['patch.parent_not_container /patch/0'],
      undefined,
    ],
    [
      'an invalid index',
      wrapped('{"op":"add","path":"/a/01","value":1}'),
      '{"a":[1,2]}',
      ['patch.index_invalid /patch/0'],
      undefined,
    ],
    [
      'an index past the end',
      wrapped('{"op":"replace","path":"/a/2","value":1}'),
      '{"a":[1,2]}',
      ['patch.index_out_of_bounds /patch/0'],
      undefined,
    ],
    ['a row that is not an object', wrapped(add), '[1]', ['patch.against_unreadable'], undefined],
    ['no JSON', wrapped(add), '{"a"', ['patch.against_unreadable'], undefined],
    [
      'an invalid patch, which is not applied',
      wrapped('{"op":"put","path":"/a"}'),
      '[',
      ['patch.op_unknown /patch/0/op'],
      undefined,
    ],
    [
      'a patch that may be rejected, which is not applied',
      wrapped('{"op":"test","path":"/z"}'),
      '{}',
      ['patch.op_unsupported /patch/0/op'],
      undefined,
    ],
  ])('%s', (_, text, against, expected, row) => {
    const simulation = simulatePatch(text, { against });
    expect(brief(simulation.findings)).toEqual(expected);
    expect(simulation.row?.text).toBe(row);
    expect(simulation.size).toBe(row?.length);
    expectWhole(simulation.findings);
  });

  const { bytes } = ROW_SIZE.member;

  test.each<[number, string[]]>([
    [bytes + 1, ['row.too_large']],
    [bytes, ['row.maybe_too_large']],
    [Math.ceil(bytes * 0.9), ['row.near_limit']],
    [1000, []],
  ])('a result of %i bytes', (size, expected) => {
    const value = 'x'.repeat(size - 14);
    const text = wrapped(`{"op":"add","path":"/b","value":"${value}"}`);
    const simulation = simulatePatch(text, { against: '{ "a": 1 }', kind: 'member' });
    expect(brief(simulation.findings)).toEqual(expected);
    expect(simulation.size).toBe(size);
  });
});
