import { describe, expect, test } from 'vitest';
import { ROW_SIZE } from '../../src/contract/index.ts';
import { validateRow } from '../../src/validator/index.ts';
import { rowOf } from '../rules/rule.ts';
import { brief } from './findings.ts';

describe('validateRow', () => {
  const { bytes: own } = ROW_SIZE.member;

  test.each([
    [0.5, ['row.near_limit']],
    [0.9, []],
  ])('warns from --warn-at %d on', (warnAt, expected) => {
    const text = rowOf(Math.floor(own * 0.6));
    expect(brief(validateRow(text, { kind: 'member', warnAt }))).toEqual(expected);
  });

  test('names the largest key, cut if that is long', () => {
    const long = 'k'.repeat(own);
    const [finding] = validateRow(`{"small":1,"${long}":2}`, { kind: 'member' });
    expect(finding?.hint).toContain(
      `the largest key is "${'k'.repeat(60)}…" with ${own + 4} bytes`,
    );
    const [other] = validateRow(rowOf(own + 1), { kind: 'member' });
    expect(other?.hint).toContain(`the largest key is "k" with ${own - 1} bytes`);
  });

  test.each([
    ['{"a":1,\n "b":9007199254740993}', 2, 6],
    ['{"a":1,\n  b:2}', 2, 3],
  ])('gives the position of an error: %j has line %i, column %i', (text, line, column) => {
    expect(validateRow(text)[0]).toMatchObject({ line, column });
  });

  test('gives findings in the order of the text', () => {
    const findings = validateRow('{"a":1e400,"b":[1e500],"c":1e600}');
    expect(findings.map(({ path }) => path)).toEqual(['/a', '/b/0', '/c']);
  });
});
