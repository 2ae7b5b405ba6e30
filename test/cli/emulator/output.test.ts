import { execFileSync, spawn } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/lectern.ts';
import { waitingFor } from '../../support/scope.ts';
import { step as stepAnywhere, stepsAt } from '../../support/steps.ts';
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
  test('writes to a named pipe, which stays, to a device behind a link, and to /dev/fd/1', async () => {
    const { step, folder } = await emulated();
    const path = namedPipe();
    const read = readPipe(path);
    await step(`emulator export ${path}`);
    expect(lstatSync(path).isFIFO()).toBe(true);
    await step('emulator import export', { files: { export: await read } });
    await stepAnywhere(`emulator start --session ${path} # exit 2: a named pipe`);
    for (const device of ['null', 'full']) symlinkSync(`/dev/${device}`, join(folder, device));
    await step(`
      emulator export null
      emulator export /dev/fd/1 # SQLite format 3
      emulator export full # exit 1: no space left on device`);
    expect(readlinkSync(join(folder, 'null'))).toBe('/dev/null');
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  test('rejects a folder and a dangling link, and leaves them unchanged: 3', async () => {
    const { step, folder } = await emulated();
    mkdirSync(join(folder, 'folder'));
    symlinkSync('nowhere', join(folder, 'dangling'));
    symlinkSync('folder', join(folder, 'linked'));
    await step(`
      emulator export folder # exit 3: a folder
      emulator export dangling # exit 3: a link to nothing
      emulator export linked # exit 3: a folder`);
    expect(readlinkSync(join(folder, 'dangling'))).toBe('nowhere');
    expect(readdirSync(folder).sort()).toEqual(['dangling', 'folder', 'linked']);
  });
});

test('emulator import reads standard input and a named pipe', async () => {
  const { step } = await emulated();
  await step('emulator launch --save me');
  await step('storage put member --yes', { input: '{"kept":true}' });
  const { stdoutBytes } = await step('emulator export -', { stderr: '' });
  await step('emulator reset');
  await step('emulator import - # from standard input', { input: stdoutBytes });
  const kept = { stdout: '{"kept":true}' };
  await step('storage get member --raw', kept);
  const path = namedPipe();
  const writer = spawn('sh', ['-c', 'cat > "$0"', path], { stdio: ['pipe', 'ignore', 'ignore'] });
  writer.stdin.end(stdoutBytes);
  await step(`emulator reset\nemulator import ${path}`);
  await step('storage get member --raw', kept);
});

test.runIf(process.platform !== 'win32')(
  'emulator exec --report writes through links and to pipes',
  async () => {
    const { step, folder } = stepsAt({ files: { 'real.json': 'old' } });
    symlinkSync('real.json', join(folder, 'link.json'));
    await step('emulator exec --report link.json --force -- true');
    expect(readlinkSync(join(folder, 'link.json'))).toBe('real.json');
    expect(readFileSync(join(folder, 'real.json'), 'utf8')).toContain('"findings"');
    const path = namedPipe();
    const read = readPipe(path);
    await step(`emulator exec --report ${path} --force -- true`);
    expect(String(await read)).toContain('"findings"');
    expect(lstatSync(path).isFIFO()).toBe(true);
  },
);

/** The commands that write a file which the user names. */
test.each(['emulator requests --har', 'emulator export', 'grade log --output'])(
  '%s replaces only its own file, unless --force is given',
  async (line) => {
    const { home, folder, step } = await emulated();
    const write = `${line} ${folder}/notes.txt`;
    const text = (): string => readFileSync(`${folder}/notes.txt`, 'utf8');
    const given = (content: string) => ({ files: { 'notes.txt': content } });
    const stderr = ['notes.txt exists, and was not written by lectern', 'replace it with --force'];
    await step(write, { ...given('notes'), exit: 3, stderr });
    expect(text()).toBe('notes');
    await step(`${write} --force`);
    expect(text()).not.toBe('notes');
    await step(write);
    await step(write, { ...given('changed by hand'), exit: 3 });
    await step(write, given(''));
    const [remembered = ''] = readdirSync(`${home}/written`);
    expect(statSync(`${home}/written/${remembered}`).mode & 0o777).toBe(0o600);
  },
);

test('files that are written at the same time are all replaced later', async () => {
  const { step } = stepsAt();
  const writeAll = (): Promise<unknown> =>
    Promise.all(['a', 'b', 'c'].map((name) => step(`grade log --output ${name}.csv`)));
  await writeAll();
  await writeAll();
});

test('emulator exec --report refuses the file before it runs the command', async () => {
  const { folder, step } = stepsAt({ files: { 'notes.json': 'notes', 'folder/a': '' } });
  symlinkSync('notes.json', `${folder}/link.json`);
  const command = `-- ${process.execPath} -e fs.writeFileSync("${folder}/ran","")`;
  await step(`
    emulator exec --report notes.json ${command} # exit 3: notes.json exists
    emulator exec --report link.json ${command} # exit 3: link.json exists
    emulator exec --report folder ${command} # exit 3: it is a folder`);
  expect(readFileSync(`${folder}/notes.json`, 'utf8')).toBe('notes');
  expect(() => statSync(`${folder}/ran`)).toThrow();
});
