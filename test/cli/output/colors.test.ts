import { expect, test } from 'vitest';
import { lectern, temporaryFolder } from '../../support/lectern.ts';
import { terminal } from '../../support/terminal.ts';

test.each([
  [{}, [], true],
  [{ NO_COLOR: '1' }, [], false],
  [{ NO_COLOR: '' }, [], true],
  [{ TERM: 'dumb' }, [], false],
  [{}, ['--no-color'], false],
])('a table on a terminal with %j and %j is coloured: %s', async (env, flags, coloured) => {
  const home = temporaryFolder();
  const save = ['key', 'save', 'quiz', '--origin', 'https://service.example'];
  expect((await lectern(save, { home, input: 'k-1' })).exit).toBe(0);
  const { exit, bytes } = terminal(['key', 'list', ...flags], { home, env });
  expect(await exit).toBe(0);
  expect(bytes()).toContain('quiz');
  expect(bytes().includes('\u001b[')).toBe(coloured);
});
