import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { surface } from '../support/surface.ts';

const FILE = new URL('../surface.txt', import.meta.url);

const sorted = (lines: Iterable<string>): string[] =>
  [...new Set(lines)].sort((a, b) => (a < b ? -1 : 1));

const before = readFileSync(FILE, 'utf8').split('\n').filter(Boolean);

test('nothing is missing in the recorded surface', async () => {
  const now = new Set(await surface());
  // A removal is for a major version: it is announced first, and its lines are deleted by hand.
  expect(before.filter((line) => !now.has(line))).toEqual([]);
});

test('new names of the surface are recorded', async () => {
  // With the lines of before: `vitest -u` adds, and never forgets one.
  const lines = sorted([...before, ...(await surface())]);
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('../surface.txt');
});

test('the surface contains each kind of public name', async () => {
  const kinds = new Set((await surface()).map((line) => line.split(' ')[0]));
  expect([...kinds].sort().join(' ')).toBe(
    'argument bin command control environment exit export finding flag json package',
  );
});
