import { type Expression, Visitor } from 'oxc-parser';
import { expect, test } from 'vitest';
import * as limits from '../../src/contract/limits.ts';
import { parse, readSources, type Sources } from './sources.ts';

const LIMITS_FILE = 'src/contract/limits.ts';
/** Below this a number is too common to be a limit. */
const SMALLEST_DISTINCTIVE = 10_000;

test("the source tree states each of the contract's numbers in one file", () => {
  expect(strayLimits(readSources())).toEqual([]);
});

test.each([
  ['25 * 1024 * 1024', true],
  ['2 ** 19', true],
  ['(count + 524288n) * 2', true],
  ['64 * 1024', false],
  ['"524288"', false],
])('the search for stray limits reports %s: %s', (expression, isStray) => {
  const source = new Map([['src/client/a.ts', `export const x = ${expression};`]]);
  expect(strayLimits(source)).toHaveLength(isStray ? 1 : 0);
});

/** Every distinctive number that the limits file exports, durations in seconds too. */
function contractNumbers(): Set<number> {
  const numbers = new Set<number>();
  const collect = (name: string, value: unknown): void => {
    if (typeof value === 'number') {
      numbers.add(value);
      if (name.endsWith('_MS')) numbers.add(value / 1000);
    } else if (typeof value === 'object' && value !== null) {
      for (const inner of Object.values(value)) collect(name, inner);
    }
  };
  for (const [name, value] of Object.entries(limits)) collect(name, value);
  return new Set([...numbers].filter((number) => number >= SMALLEST_DISTINCTIVE));
}

function strayLimits(sources: Sources): string[] {
  const forbidden = contractNumbers();
  const found: string[] = [];
  for (const [file, text] of sources) {
    if (file === LIMITS_FILE) continue;
    const counted: Expression[] = [];
    const look = (node: Expression): void => {
      if (counted.some((whole) => whole.start <= node.start && node.end <= whole.end)) return;
      const factors = constantFactors(node);
      if (factors.length === 0) return;
      counted.push(...factors.map(([part]) => part));
      if (!forbidden.has(factors.reduce((product, [, value]) => product * value, 1))) return;
      const line = text.slice(0, node.start).split('\n').length;
      found.push(`${file}:${line} has ${text.slice(node.start, node.end)}; see ${LIMITS_FILE}`);
    };
    new Visitor({ BinaryExpression: look, Literal: look }).visit(parse(file, text));
  }
  return found;
}

/** The numbers that a product is made of: 25 and 1024 in `files * 25 * 1024`. */
function constantFactors(node: Expression): [part: Expression, value: number][] {
  const value = constant(node);
  if (value !== undefined) return [[node, value]];
  if (node.type === 'ParenthesizedExpression') return constantFactors(node.expression);
  if (node.type !== 'BinaryExpression' || node.operator !== '*') return [];
  return [...constantFactors(node.left), ...constantFactors(node.right)];
}

/** The value of an expression of numbers alone. */
function constant(node: Expression): number | undefined {
  if (node.type === 'ParenthesizedExpression') return constant(node.expression);
  if (node.type === 'Literal') {
    if (typeof node.value === 'bigint') return Number(node.value);
    return typeof node.value === 'number' ? node.value : undefined;
  }
  if (node.type !== 'BinaryExpression' || node.left.type === 'PrivateIdentifier') return undefined;
  const left = constant(node.left);
  const right = constant(node.right);
  if (left === undefined || right === undefined) return undefined;
  if (node.operator === '*') return left * right;
  if (node.operator === '**') return left ** right;
  if (node.operator === '<<') return left << right;
  return undefined;
}
