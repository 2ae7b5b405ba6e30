import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findFiles, globMatcher } from '../../src/disk/glob.ts';
import { temporaryFolder } from '../support/lectern.ts';

test.each([
  { glob: '*.pdf', matching: ['a.pdf', '.pdf'], others: ['a.pdf.txt', 'sub/a.pdf'] },
  { glob: './a?.txt', matching: ['a1.txt', 'aé.txt'], others: ['a.txt', 'a/.txt'] },
  { glob: '[a-c0]x', matching: ['ax', 'cx', '0x'], others: ['dx', '-x', 'x'] },
  { glob: '[!a-c]x', matching: ['dx', '-x'], others: ['ax', '/x', 'x'] },
  { glob: '*.{pdf,t{x,e}t}', matching: ['a.pdf', 'b.txt', 'c.tet'], others: ['a.tt', 'a.'] },
  { glob: 'a\\*', matching: ['a*'], others: ['ab', 'a\\'] },
  { glob: '**/b/*.md', matching: ['b/a.md', 'x/y/b/a.md'], others: ['b/x/a.md', 'ab/a.md'] },
  { glob: 'a/**', matching: ['a/b', 'a/b/c'], others: ['ab'] },
  {
    glob: `${'*_'.repeat(40)}*.pdf`,
    matching: [`${'_'.repeat(99)}.pdf`],
    others: ['_'.repeat(128)],
  },
])('the glob $glob matches $matching', ({ glob, matching, others }) => {
  const isMatch = globMatcher(glob);
  expect([...matching, ...others].filter(isMatch)).toEqual(matching);
});

test('files are found below a folder, without hidden ones', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'sub/deep'), { recursive: true });
  for (const name of ['b.txt', 'a.txt', '.c.txt', 'sub/d.txt', 'sub/deep/e.txt']) {
    writeFileSync(join(folder, name), '');
  }
  const find = (glob: string) => findFiles(folder, glob, new AbortController().signal);
  expect(await find('*.txt')).toEqual(['a.txt', 'b.txt']);
  expect(await find('.*')).toEqual(['.c.txt']);
  expect(await find('sub/*.txt')).toEqual(['sub/d.txt']);
  expect(await find('**/*.txt')).toEqual(['a.txt', 'b.txt', 'sub/d.txt', 'sub/deep/e.txt']);
  expect(await find(`${folder}/s*/*`)).toEqual([`${folder}/sub/d.txt`]);
  expect(await find('none/*')).toEqual([]);
});
