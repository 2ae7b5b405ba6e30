import { execFileSync, spawn } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { lectern, temporaryFolder } from '../../support/lectern.ts';
import { waitingFor } from '../../support/scope.ts';
import { emulated } from './running.ts';

/** A named pipe in a folder of its own. */
function namedPipe(): string {
  const path = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  return path;
}

/** All that is written to a pipe. */
function readPipe(path: string): Promise<Buffer> {
  const reader = spawn('cat', [path], { stdio: ['ignore', 'pipe', 'ignore'] });
  return waitingFor(`what is written to ${path}`, buffer(reader.stdout));
}

describe.runIf(process.platform !== 'win32')('emulator export FILE', () => {
  test('replaces the target of a link, and keeps the link', async () => {
    const { run } = await emulated();
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'elsewhere'));
    writeFileSync(join(folder, 'elsewhere/real'), 'old');
    symlinkSync('elsewhere/real', join(folder, 'link'));
    const { exit } = await run(['emulator', 'export', 'link', '--force'], { cwd: folder });
    expect([exit, readlinkSync(join(folder, 'link'))]).toEqual([0, 'elsewhere/real']);
    expect(readFileSync(join(folder, 'elsewhere/real'), 'utf8')).toContain('SQLite format 3');
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual(['real']);
  });

  test('writes to a named pipe, which stays', async () => {
    const { home, run } = await emulated();
    const path = namedPipe();
    const read = readPipe(path);
    expect((await run(['emulator', 'export', path])).exit).toBe(0);
    expect(lstatSync(path).isFIFO()).toBe(true);
    writeFileSync(join(home, 'export'), await read);
    expect((await run(['emulator', 'import', join(home, 'export')])).exit).toBe(0);
  });

  test('is opened from a file alone, not from a pipe', async () => {
    const refused = await lectern(['emulator', 'start', '--session', namedPipe()]);
    expect([refused.exit, refused.stderr]).toEqual([2, expect.stringContaining('a named pipe')]);
  });

  test('writes to the device that a link leads to, and keeps the link', async () => {
    const { run } = await emulated();
    const link = join(temporaryFolder(), 'link');
    symlinkSync('/dev/null', link);
    expect((await run(['emulator', 'export', link])).exit).toBe(0);
    expect([readlinkSync(link), lstatSync('/dev/null').isCharacterDevice()]).toEqual([
      '/dev/null',
      true,
    ]);
  });

  test('reports a full device: 1', async () => {
    const { run } = await emulated();
    const link = join(temporaryFolder(), 'link');
    symlinkSync('/dev/full', link);
    const { exit, stderr } = await run(['emulator', 'export', link]);
    expect([exit, stderr]).toEqual([1, expect.stringContaining('no space left on device')]);
  });

  // With /dev/stdout, a defect would create a file on the machine if run as root.
  test('treats /dev/fd/1 as standard output', async () => {
    const { run } = await emulated();
    const { exit, stdout } = await run('emulator export /dev/fd/1');
    expect([exit, stdout]).toEqual([0, expect.stringContaining('SQLite format 3')]);
  });

  test.for([
    ['a folder', 'folder', 'a folder'],
    ['a dangling link', 'dangling', 'a link to nothing'],
    ['a link to a folder', 'linked', 'a folder'],
  ])('rejects %s, and leaves it unchanged: 3', async ([, name = '', words = '']) => {
    const { run } = await emulated();
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'folder'));
    symlinkSync('nowhere', join(folder, 'dangling'));
    symlinkSync('folder', join(folder, 'linked'));
    const before = lstatSync(join(folder, name)).ino;
    const { exit, stderr } = await run(['emulator', 'export', name], { cwd: folder });
    expect([exit, stderr]).toEqual([3, expect.stringContaining(words)]);
    expect(lstatSync(join(folder, name)).ino).toBe(before);
    expect(readdirSync(folder).sort()).toEqual(['dangling', 'folder', 'linked']);
  });
});

describe('emulator import', () => {
  test('reads standard input and a named pipe', async () => {
    const { run } = await emulated();
    await run('emulator launch --save me');
    await run('storage put member --yes', { input: '{"kept":true}' });
    const { stdoutBytes } = await run('emulator export -');
    await run('emulator reset');
    const { exit, stderr } = await run('emulator import -', { input: stdoutBytes });
    expect([exit, stderr]).toEqual([0, expect.stringContaining('from standard input')]);
    expect((await run('storage get member --raw')).stdout).toBe('{"kept":true}');
    await run('emulator reset');
    const path = namedPipe();
    const writer = spawn('sh', ['-c', 'cat > "$0"', path], { stdio: ['pipe', 'ignore', 'ignore'] });
    writer.stdin.end(stdoutBytes);
    expect((await run(['emulator', 'import', path])).exit).toBe(0);
    expect((await run('storage get member --raw')).stdout).toBe('{"kept":true}');
  });
});

test('emulator exec rejects a --report that cannot be written before it runs the command: 3', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'report'));
  const command = ['--', process.execPath, '-e', 'require("fs").writeFileSync("ran", "")'];
  const args = ['emulator', 'exec', '--report', 'report', ...command];
  const { exit, stderr } = await lectern(args, { cwd: folder });
  expect([exit, stderr]).toEqual([3, expect.stringContaining('it is a folder')]);
  expect(readdirSync(folder)).toEqual(['report']);
});

test.runIf(process.platform !== 'win32')(
  'emulator exec --report writes through links and to pipes',
  async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'real.json'), 'old');
    symlinkSync('real.json', join(folder, 'link.json'));
    const report = (file: string) =>
      lectern(['emulator', 'exec', '--report', file, '--force', '--', 'true'], { cwd: folder });
    expect((await report('link.json')).exit).toBe(0);
    expect(readlinkSync(join(folder, 'link.json'))).toBe('real.json');
    expect(readFileSync(join(folder, 'real.json'), 'utf8')).toContain('"findings"');
    const path = namedPipe();
    const read = readPipe(path);
    expect((await report(path)).exit).toBe(0);
    expect(String(await read)).toContain('"findings"');
    expect(lstatSync(path).isFIFO()).toBe(true);
  },
);
