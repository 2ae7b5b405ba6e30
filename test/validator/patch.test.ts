import { describe, expect, test } from 'vitest';
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

  test.each([
    [1000, ['body.deep']],
    [1001, ['body.syntax']],
  ])('a row of %i levels in a patch', (levels, expected) => {
    expect(brief(validatePatch(replacing(levels)))).toEqual(expected);
  });

  test('and reports line and column', () => {
    const [finding] = validatePatch(`{"patch": [\n  {"op": "put", "path": "/a"}\n]}`);
    expect(finding).toMatchObject({ line: 2, column: 10 });
  });
});

describe('simulatePatch', () => {
  test.each<[string, string, string, string[]]>([
    ['a row that is not an object', wrapped(add), '[1]', ['patch.against_unreadable']],
    ['a row that is not JSON', wrapped(add), '{"a"', ['patch.against_unreadable']],
    [
      'an invalid patch, which is not applied',
      wrapped('{"op":"put","path":"/a"}'),
      '[',
      ['patch.op_unknown /patch/0/op'],
    ],
    [
      'a patch that may be rejected, which is not applied',
      wrapped('{"op":"test","path":"/z"}'),
      '{}',
      ['patch.op_unsupported /patch/0/op'],
    ],
  ])('reports %s', (_, text, against, expected) => {
    const simulation = simulatePatch(text, { against });
    expect(brief(simulation.findings)).toEqual(expected);
    expect(simulation).toMatchObject({ row: undefined, size: undefined });
    expectWhole(simulation.findings);
  });

  test('returns the row afterwards with its size', () => {
    const { row, size } = simulatePatch(wrapped(add), { against: '{ "b": 1.10 }' });
    expect([row?.text, size]).toEqual(['{"b":1.10,"a":1}', 16]);
  });
});
