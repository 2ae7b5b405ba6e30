import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { pty } from '../support/pty.ts';

const MARKED = "sed 's/^/>/'";

async function shown(args: readonly string[], env: Record<string, string>): Promise<string> {
  // As wide as the help is at most, and the mark of the pager.
  const run = pty(args, { home: temporaryFolder(), env, columns: 120, rows: 60 });
  expect(await run.exit).toBe(0);
  return run.screen();
}

test.each([[['explain', '404']], [['help', 'storage']], [['storage', 'put', '--help']]])(
  'a long text on a terminal is shown by the pager: %j',
  async (args) => {
    const marked = await shown(args, { LECTERN_PAGER: MARKED, PAGER: 'cat' });
    expect(marked).toMatch(/^>/);
    const direct = await shown([...args, '--no-pager'], { LECTERN_PAGER: MARKED });
    expect(direct).toBe(marked.replaceAll(/^>/gm, ''));
  },
);

test.each([{ LECTERN_PAGER: '', PAGER: MARKED }, { LECTERN_PAGER: 'no-such-pager 2>/dev/null' }])(
  '%o is no pager',
  async (env) => {
    expect(await shown(['explain', '404'], env)).toMatch(/^404\n/);
  },
);

test('PAGER is the pager, or else less, and without less the text is printed', async () => {
  expect(await shown(['explain', '404'], { PAGER: MARKED })).toMatch(/^>404\n/);
  const folder = temporaryFolder();
  const withoutLess = await shown(['explain', '404'], { PATH: folder });
  expect(withoutLess).toMatch(/^404\n/);
  writeFileSync(join(folder, 'less'), '#!/bin/sh\necho "less $*"\n', { mode: 0o755 });
  expect(await shown(['explain', '404'], { PATH: folder })).toBe('less -FRX');
});

test('a dumb terminal gets no pager', async () => {
  const env = { TERM: 'dumb', LECTERN_PAGER: MARKED };
  expect(await shown(['--help'], env)).not.toMatch(/^>/m);
});

test('a pager that ends early is not an error', async () => {
  expect(await shown(['explain'], { LECTERN_PAGER: 'head -n 2' })).toMatch(/\S/);
});

test('output to a pipe, and JSON, are never paged', async () => {
  const env = { LECTERN_PAGER: MARKED };
  const piped = await lectern(['explain', 'limits'], { env });
  expect(piped.stdout).not.toMatch(/^>/);
  expect(await shown(['explain', 'limits', '--json'], env)).not.toMatch(/^>/);
});
