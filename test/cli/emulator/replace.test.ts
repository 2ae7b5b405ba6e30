import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { lectern, temporaryFolder } from '../../support/lectern.ts';
import { emulated } from './running.ts';

/** The commands that write a file which the user names. */
const COMMANDS = [
  ['emulator', 'requests', '--har'],
  ['emulator', 'export'],
  ['grade', 'log', '--output'],
];

test.each(COMMANDS)(
  '%s %s %s replaces only its own file, unless --force is given',
  async (...words) => {
    const { home, run } = await emulated();
    const file = `${temporaryFolder()}/notes.txt`;
    const write = async (...more: string[]) => (await run([...words, file, ...more])).exit;
    writeFileSync(file, 'notes');
    const { exit, stderr } = await run([...words, file]);
    expect([exit, stderr]).toEqual([
      3,
      expect.stringContaining(`${file} exists, and was not written by lectern`),
    ]);
    expect(stderr).toContain('replace it with --force');
    expect(readFileSync(file, 'utf8')).toBe('notes');
    expect(await write('--force')).toBe(0);
    expect(readFileSync(file, 'utf8')).not.toBe('notes');
    expect(await write()).toBe(0);
    writeFileSync(file, 'changed by hand');
    expect(await write()).toBe(3);
    writeFileSync(file, '');
    expect(await write()).toBe(0);
    expect(statSync(`${home}/written-files.json`).mode & 0o777).toBe(0o600);
  },
);

test('emulator exec --report refuses the file before it runs the command', async () => {
  const folder = temporaryFolder();
  const [file, link] = [`${folder}/notes.json`, `${folder}/link.json`];
  writeFileSync(file, 'notes');
  symlinkSync(file, link);
  const command = ['--', process.execPath, '-e', `fs.writeFileSync('${folder}/ran', '')`];
  for (const path of [file, link]) {
    const run = await lectern(['emulator', 'exec', '--report', path, ...command]);
    expect([run.exit, run.stderr]).toEqual([3, expect.stringContaining(`${path} exists`)]);
  }
  expect(readFileSync(file, 'utf8')).toBe('notes');
  expect(() => statSync(`${folder}/ran`)).toThrow();
});
