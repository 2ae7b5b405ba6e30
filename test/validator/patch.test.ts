import { describe, expect, test } from 'vitest';
import { ROW_SIZE } from '../../src/contract/index.ts';
import { simulatePatch, validatePatch } from '../../src/validator/index.ts';
import { brief, expectWhole } from './findings.ts';

const wrapped = (...operations: string[]): string => `{"patch":[${operations.join(',')}]}`;
const replacing = (levels: number): string =>
  wrapped(`{"op":"replace","path":"","value":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`);
const add = '{"op":"add","path":"/a","value":1}';

describe('findings', () => {
  test.each<[string, string, string[]]>([
    ['a clean patch', wrapped(add, '{"op":"remove","path":"/b"}'), []],
    ['an empty list', wrapped(), []],
    ['no JSON', '{"patch":[', ['body.syntax']],
    ['a row of 1,000 levels', replacing(1000), ['body.deep']],
    ['a row of 1,001 levels', replacing(1001), ['body.syntax']],
    ['no object', '7', ['body.not_object']],
    ['no wrapper', `[${add}]`, ['patch.no_wrapper']],
    [
      'no wrapper, and more',
      '[{"op":"ad"}]',
      ['patch.no_wrapper', 'patch.op_unknown /0/op', 'patch.path_missing /0'],
    ],
    ['another wrapper', `{"ops":[${add}]}`, ['patch.no_wrapper']],
    ['no array', `{"patch":${add}}`, ['patch.not_array /patch']],
    ['no operation', wrapped('4'), ['patch.operation_not_object /patch/0']],
    ['no op', wrapped('{"path":"/a"}'), ['patch.op_missing /patch/0']],
    ['op is not a string', wrapped('{"op":1,"path":"/a"}'), ['patch.op_not_string /patch/0/op']],
    ['an unknown op', wrapped('{"op":"put","path":"/a"}'), ['patch.op_unknown /patch/0/op']],
    [
      'move',
      wrapped('{"op":"move","from":"/a","path":"/b"}'),
      ['patch.op_unsupported /patch/0/op'],
    ],
    ['no path', wrapped('{"op":"remove"}'), ['patch.path_missing /patch/0']],
    [
      'path is not a string',
      wrapped('{"op":"remove","path":0}'),
      ['patch.path_not_string /patch/0/path'],
    ],
    [
      'a malformed path',
      wrapped('{"op":"remove","path":"a"}'),
      ['patch.path_malformed /patch/0/path'],
    ],
    ['no value', wrapped('{"op":"add","path":"/a"}'), ['patch.value_missing /patch/0']],
    ['null is a value', wrapped('{"op":"add","path":"/a","value":null}'), []],
    ['the root removed', wrapped('{"op":"remove","path":""}'), ['patch.remove_root /patch/0/path']],
    [
      'the root no object',
      wrapped('{"op":"add","path":"","value":[]}'),
      ['patch.root_not_object /patch/0/value'],
    ],
    [
      'a lossy number',
      wrapped('{"op":"add","path":"/a","value":1e400}'),
      ['body.lossy_number /patch/0/value'],
    ],
    ['a name twice', '{"patch":[],"patch":[]}', ['body.duplicate_name /patch']],
    [
      'all of them',
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

  test('with line and column', () => {
    const [finding] = validatePatch(`{"patch": [\n  {"op": "put", "path": "/a"}\n]}`);
    expect(finding).toMatchObject({ line: 2, column: 10 });
  });
});

describe('against a row', () => {
  test.each<[string, string, string, string[], string | undefined]>([
    ['it fits', wrapped(add), '{"b":1.10}', [], '{"b":1.10,"a":1}'],
    ['missing parents', wrapped('{"op":"add","path":"/x/y","value":1}'), '{}', [], '{"x":{"y":1}}'],
    [
      'nothing there',
      wrapped('{"op":"remove","path":"/a"}'),
      '{}',
      ['patch.target_missing /patch/0'],
      undefined,
    ],
    [
      'a scalar on the way',
      wrapped('{"op":"add","path":"/a/b","value":1}'),
      '{"a":1}',
      ['patch.parent_not_container /patch/0'],
      undefined,
    ],
    [
      'no index',
      wrapped('{"op":"add","path":"/a/01","value":1}'),
      '{"a":[1,2]}',
      ['patch.index_invalid /patch/0'],
      undefined,
    ],
    [
      'past the end',
      wrapped('{"op":"replace","path":"/a/2","value":1}'),
      '{"a":[1,2]}',
      ['patch.index_out_of_bounds /patch/0'],
      undefined,
    ],
    ['no row', wrapped(add), '[1]', ['patch.against_unreadable'], undefined],
    ['no JSON', wrapped(add), '{"a"', ['patch.against_unreadable'], undefined],
    [
      'a faulty patch is not tried',
      wrapped('{"op":"put","path":"/a"}'),
      '[',
      ['patch.op_unknown /patch/0/op'],
      undefined,
    ],
    [
      'what is refused perhaps is not tried',
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
  ])('%i bytes', (size, expected) => {
    const value = 'x'.repeat(size - 14);
    const text = wrapped(`{"op":"add","path":"/b","value":"${value}"}`);
    const simulation = simulatePatch(text, { against: '{ "a": 1 }', kind: 'member' });
    expect(brief(simulation.findings)).toEqual(expected);
    expect(simulation.size).toBe(size);
  });
});
