/** A disk such as exFAT, which shows the same mode for every file whatever is asked for. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { binary } from '../support/binary.ts';
import { temporaryFolder } from '../support/lectern.ts';

/** Loaded before lectern: files and folders are created with one mode, which does not change. */
const WITHOUT_MODES = (mode: string): string => `
  const fs = require('node:fs');
  process.umask(0);
  const { mkdirSync, promises: { open } } = fs;
  fs.mkdirSync = (path, options) => mkdirSync(path, { ...options, mode: ${mode} });
  fs.promises.open = (path, flags) => open(path, flags, ${mode});
  fs.chmodSync = () => {};
`;

const CLAIMS = JSON.stringify({ iss: 'https://service.example', api: { token: 'token-1' } });

test.each([
  {
    name: 'says that others can read a key, and saves it again',
    mode: '0o755',
    line: 'key save prod --origin https://service.example --force',
    exit: 0,
    words: 'other users can read it, because this disk has no permissions',
    left: ['keys'],
  },
  {
    name: 'says that others can read a launch, and saves it again',
    mode: '0o755',
    line: 'launch save teacher --force',
    exit: 0,
    words: 'other users can read it, because this disk has no permissions',
    left: ['launches', 'settings-locks', 'settings.json'],
  },
  {
    name: 'saves no launch where all can write',
    mode: '0o777',
    line: 'launch save teacher --force',
    exit: 1,
    words: 'cannot be used for private files',
    left: [],
  },
])('a disk without modes $name', async ({ mode, line, exit, words, left }) => {
  const folder = temporaryFolder();
  const preload = join(folder, 'preload.cjs');
  writeFileSync(preload, WITHOUT_MODES(mode));
  const home = join(folder, 'home');
  const env = { NODE_OPTIONS: `--require ${preload}` };
  for (let count = 0; count < 2; count += 1) {
    const input = line.startsWith('key') ? 'key-1' : CLAIMS;
    const saved = await binary(line.split(' '), { home, env, input });
    expect([saved.exit, saved.stderr]).toEqual([exit, expect.stringContaining(words)]);
  }
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' });
  expect(files.filter((each) => !each.includes('/')).sort()).toEqual(left);
});

test('launch save saves nothing if the launch cannot be noted as the one in use', async () => {
  const home = temporaryFolder();
  const preload = join(temporaryFolder(), 'preload.cjs');
  const failing = `Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'rename' })`;
  writeFileSync(preload, `require('node:fs').renameSync = () => { throw ${failing}; };`);
  const env = { NODE_OPTIONS: `--require ${preload}` };
  const { exit } = await binary(['launch', 'save', 'x'], { home, env, input: CLAIMS });
  expect([exit, readdirSync(join(home, 'launches'))]).toEqual([1, []]);
});
