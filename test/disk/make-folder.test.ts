import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../src/disk/private-file.ts';
import { temporaryFolder } from '../support/lectern.ts';

test('makeFolder creates the folder and its parents with the mode', () => {
  const root = temporaryFolder();
  makeFolder(join(root, 'a', 'b', 'c'), 0o700);
  for (const each of ['a', 'a/b', 'a/b/c']) {
    expect(statSync(join(root, each)).mode & 0o777, each).toBe(0o700);
  }
});

test('makeFolder leaves an existing folder, or a link to one, as it is', () => {
  const root = temporaryFolder();
  mkdirSync(join(root, 'a'));
  chmodSync(join(root, 'a'), 0o750);
  symlinkSync(join(root, 'a'), join(root, 'link'));
  makeFolder(join(root, 'a'), 0o700);
  makeFolder(join(root, 'link', 'b'), 0o700);
  expect(statSync(join(root, 'a')).mode & 0o777).toBe(0o750);
  expect(statSync(join(root, 'a', 'b')).isDirectory()).toBe(true);
});

test.each([
  ['a file in its place', 'file', 'EEXIST'],
  ['a file among its parents', 'file/a/b', 'ENOTDIR'],
  ['a link to nothing in its place', 'dangling', 'EEXIST'],
  ['a link to nothing among its parents', 'dangling/a', 'EEXIST'],
])("makeFolder throws the system's error for %s", (_, name, code) => {
  const root = temporaryFolder();
  writeFileSync(join(root, 'file'), '');
  symlinkSync(join(root, 'nowhere'), join(root, 'dangling'));
  expect(() => makeFolder(join(root, name))).toThrow(code);
});

test.runIf(process.platform === 'linux').each(['/proc/x', '/proc/x/y/z'])(
  "makeFolder throws the system's error for %s, where Node would retry forever",
  (path) => {
    expect(() => makeFolder(path)).toThrow('ENOENT');
  },
);
