import type { ServerResponse } from 'node:http';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nameFault, pathsThatDifferByCase } from '../../../src/transfer/local-names.ts';
import { start } from '../../support/lectern.ts';
import { answerJson } from '../../support/service.ts';
import { cells, emulatedFiles } from './emulated.ts';
import { answerXml, failing, MODIFIED, scriptedFiles, SIGNATURE } from './scripted.ts';

const read = (...path: string[]): string => readFileSync(join(...path), 'utf8');

describe('files download', () => {
  test('--all creates the folder and sets the dates of the row', async () => {
    const { run, folder, storage } = await scriptedFiles({
      'a.txt': 'hello',
      'b.txt': '',
      CON: 'c',
    });
    const { exit, stdout, stderr } = await run(['download', 'member', '--all', '--to', 'in/here']);
    expect(exit).toBe(0);
    expect(cells(stdout).sort()).toEqual([
      ['CON', '1', 'downloaded'],
      ['a.txt', '5', 'downloaded'],
      ['b.txt', '0', 'downloaded'],
    ]);
    expect(stderr).toContain('3 files: 3 downloaded');
    expect(readdirSync(join(folder, 'in/here')).sort()).toEqual(['CON', 'a.txt', 'b.txt']);
    expect(read(folder, 'in/here/a.txt')).toBe('hello');
    expect(statSync(join(folder, 'in/here/a.txt')).mtimeMs).toBe(MODIFIED);
    for (const { headers } of storage.requests) {
      expect(headers.authorization).toBeUndefined();
      expect(headers.cookie).toBeUndefined();
    }
  });

  test('writes one file to a name, some by their keys, or one into a pipe', async () => {
    const { run, folder } = await scriptedFiles({ 'a.txt': 'hello', 'b.txt': 'b', 'c.txt': 'c' });
    expect((await run(['download', 'member', 'a.txt', '-o', 'other.txt'])).stdout).toBe(
      'a.txt\t5\tdownloaded\n',
    );
    await run(['download', 'member', 'b.txt', 'c.txt', 'b.txt']);
    expect(readdirSync(folder).sort()).toEqual(['b.txt', 'c.txt', 'other.txt']);
    expect((await run(['download', 'member', 'a.txt'])).stdout).toBe('hello');
    expect((await run(['download', 'member', 'a.txt', '-o', '-', '--quiet'])).stdout).toBe('hello');
  });

  test('--json prints a line for each file', async () => {
    const { run } = await scriptedFiles({ 'a.txt': 'hello' });
    const { stdout, exit } = await run(['download', 'member', 'a.txt', 'nix', '--json']);
    expect(exit).toBe(9);
    expect(JSON.parse(stdout)).toMatchObject({
      files: [
        { path: 'a.txt', key: 'a.txt', size: 5, outcome: 'downloaded', error: null },
        { key: 'nix', outcome: 'failed', error: { exit: 6, status: 404 } },
      ],
      summary: { files: 2, downloaded: 1, failed: 1 },
    });
  });

  test('--all of a row without files is not an error', async () => {
    const { run } = await scriptedFiles();
    const { exit, stderr } = await run(['download', 'member', '--all']);
    expect([exit, stderr]).toEqual([0, 'the member row has no files\n']);
  });

  test.each([
    ['neither keys nor --all', []],
    ['keys and --all', ['a.txt', '--all']],
    ['--to and --output', ['a.txt', '--to', '.', '-o', 'x']],
    ['--to -, which is not a folder', ['a.txt', '--to', '-']],
    ['--output for several keys', ['a.txt', 'b.txt', '-o', 'x']],
    ['--json on standard output', ['a.txt', '-o', '-', '--json']],
  ])('with %s is a usage error: 2', async (_, args) => {
    const { run, methods } = await scriptedFiles({ 'a.txt': 'hello' });
    expect((await run(['download', 'member', ...args])).exit).toBe(2);
    expect(methods()).toEqual([]);
  });

  test('downloads every byte of a large file', async () => {
    const { run, file, folder } = await emulatedFiles();
    const bytes = Buffer.alloc(3_333_333);
    for (let index = 0; index < bytes.length - 4; index += 977) bytes.writeUInt32LE(index, index);
    file('large.bin', bytes);
    await run(['upload', 'member', 'large.bin']);
    expect((await run(['download', 'member', 'large.bin', '--to', 'back'])).exit).toBe(0);
    expect(readFileSync(join(folder, 'back/large.bin')).equals(bytes)).toBe(true);
    const piped = await run(['download', 'member', 'large.bin', '-o', '-']);
    expect(piped.stdoutBytes.equals(bytes)).toBe(true);
  });
});

describe('an existing local file', () => {
  test('stays unless --overwrite is set, which is decided before any download', async () => {
    const { run, folder, methods } = await scriptedFiles({ 'a.txt': 'new', 'b.txt': 'b' });
    writeFileSync(join(folder, 'a.txt'), 'old');
    const { exit, stderr } = await run(['download', 'member', '--all', '--to', '.']);
    expect([exit, stderr]).toEqual([3, expect.stringContaining('--overwrite')]);
    expect(readdirSync(folder)).toEqual(['a.txt']);
    expect(read(folder, 'a.txt')).toBe('old');
    expect(methods()).toEqual(['GET']);
    expect((await run(['download', 'member', '--all', '--to', '.', '--overwrite'])).exit).toBe(0);
    expect(read(folder, 'a.txt')).toBe('new');
  });

  test('stays if it appears during the download', async () => {
    const { run, folder, faults } = await scriptedFiles({ 'a.txt': 'new' });
    faults.storage = () => {
      writeFileSync(join(folder, 'a.txt'), 'came first');
      return false;
    };
    expect((await run(['download', 'member', 'a.txt', '--to', '.'])).exit).toBe(3);
    expect(read(folder, 'a.txt')).toBe('came first');
    expect(readdirSync(folder)).toEqual(['a.txt']);
  });

  test('that is a link is replaced itself, and nothing outside the folder changes', async () => {
    const { run, folder } = await scriptedFiles({ 'a.txt': 'new' });
    mkdirSync(join(folder, 'in'));
    writeFileSync(join(folder, 'outside.txt'), 'outside');
    symlinkSync('../outside.txt', join(folder, 'in/a.txt'));
    expect((await run(['download', 'member', 'a.txt', '--to', 'in'])).exit).toBe(3);
    expect((await run(['download', 'member', 'a.txt', '--to', 'in', '--overwrite'])).exit).toBe(0);
    expect(read(folder, 'outside.txt')).toBe('outside');
    expect(read(folder, 'in/a.txt')).toBe('new');
  });

  test('that is the target of a link in --output is replaced, and the link stays', async () => {
    const { run, folder } = await scriptedFiles({ 'a.txt': 'new' });
    writeFileSync(join(folder, 'real.txt'), 'old');
    symlinkSync('real.txt', join(folder, 'link.txt'));
    const args = ['download', 'member', 'a.txt', '-o', 'link.txt'];
    expect([(await run(args)).exit, read(folder, 'real.txt')]).toEqual([3, 'old']);
    expect((await run([...args, '--overwrite'])).exit).toBe(0);
    expect(readlinkSync(join(folder, 'link.txt'))).toBe('real.txt');
    expect(read(folder, 'real.txt')).toBe('new');
  });

  test.each(['dir', '/dev/null'])(
    'is never overwritten if it is not a regular file: %s',
    async (path) => {
      const { run, folder } = await scriptedFiles({ 'a.txt': 'new' });
      mkdirSync(join(folder, 'dir'));
      const { exit } = await run(['download', 'member', 'a.txt', '-o', path, '--overwrite']);
      expect(exit).toBe(3);
    },
  );
});

describe('keys that are not file names', () => {
  test('fail alone, and nothing is written outside the folder', async () => {
    const { run, folder, faults, methods } = await scriptedFiles({ 'a.txt': 'hello' });
    const hostile = ['../out.txt', '/out.txt', '..', '.bashrc', 'a/b', 'a\\b', '', 'x\u0000y'];
    faults.api = (request, response) => {
      if (/member\?/.exec(request.target) === null) return false;
      const items = ['a.txt', ...hostile].map((key) => ({ key, size: 5, modified: MODIFIED }));
      answerJson(response, 200, items);
      return true;
    };
    const result = await run([
      'download',
      'member',
      '--all',
      '--to',
      'in',
      '--overwrite',
      '--json',
    ]);
    expect(result.exit).toBe(9);
    expect(JSON.parse(result.stdout)).toMatchObject({
      summary: { files: 9, downloaded: 1, failed: 8 },
    });
    expect(readdirSync(folder)).toEqual(['in']);
    expect(readdirSync(join(folder, 'in'))).toEqual(['a.txt']);
    expect(methods()).toEqual(['GET', 'GET', '*GET']);
    const removed = await run(['rm', 'member', '--all', '--yes', '--json']);
    expect(JSON.parse(removed.stdout)).toMatchObject({ summary: { deleted: 1, failed: 8 } });
  });

  test('are rejected if they are device names of the platform', () => {
    const devices = ['CON', 'nul', 'aux.txt', 'COM1', 'lpt9.tar.gz', 'ends.'];
    expect(devices.filter((name) => nameFault(name, 'win32') === undefined)).toEqual([]);
    expect(devices.filter((name) => nameFault(name, 'linux') !== undefined)).toEqual([]);
    const plain = ['console', 'COM', 'com10', 'nul1', 'a.con'];
    expect(plain.filter((name) => nameFault(name, 'win32') !== undefined)).toEqual([]);
  });

  test('are found if they differ only in case', async () => {
    expect(pathsThatDifferByCase(['a/X', 'a/y', 'a/x', 'b/x', 'a/Y.txt'])).toEqual(['a/X', 'a/x']);
    // This disk keeps them apart, so both arrive.
    const { run, folder } = await scriptedFiles({ 'a.txt': 'small', 'A.txt': 'LARGE' });
    expect((await run(['download', 'member', '--all', '--to', 'in'])).exit).toBe(0);
    expect([read(folder, 'in/a.txt'), read(folder, 'in/A.txt')]).toEqual(['small', 'LARGE']);
  });
});

describe('an incomplete download', () => {
  const cut = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-length': '5' });
    response.write('he', () => response.destroy());
  };

  test('is repeated', async () => {
    const { run, folder, faults, methods } = await scriptedFiles({ 'a.txt': 'hello' });
    faults.storage = failing('GET', 1, cut);
    expect((await run(['download', 'member', 'a.txt', '--to', '.'])).exit).toBe(0);
    expect(read(folder, 'a.txt')).toBe('hello');
    expect(methods()).toEqual(['GET', 'GET', '*GET', '*GET']);
  });

  test.each([
    ['cut every time', cut],
    ['shorter than its record', (response: ServerResponse) => response.end('he')],
    ['longer than its record', (response: ServerResponse) => response.end('hello!')],
    ['a server error', (response: ServerResponse) => response.writeHead(503).end()],
  ])('leaves no file: %s: 8', async (_, answer) => {
    const { run, folder, faults } = await scriptedFiles({ 'a.txt': 'hello' });
    faults.storage = failing('GET', 99, (response) => void answer(response));
    expect((await run(['download', 'member', 'a.txt', '--to', '.'])).exit).toBe(8);
    expect(readdirSync(folder)).toEqual([]);
    const piped = await run(['download', 'member', 'a.txt', '-o', '-']);
    expect([piped.exit, piped.stdout]).toEqual([8, '']);
  });

  test('by a redirect is not followed: 8', async () => {
    const { run, faults, methods } = await scriptedFiles({ 'a.txt': 'hello' });
    faults.storage = failing('GET', 99, (response) => {
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    expect((await run(['download', 'member', 'a.txt', '--to', '.'])).exit).toBe(8);
    expect(methods()).toEqual(['GET', '*GET']);
  });

  test('that never ends is stopped in time', async () => {
    const { run, folder, faults } = await scriptedFiles({ 'a.txt': 'hello' });
    faults.storage = failing('GET', 99, (response) => {
      response.writeHead(200, { 'content-length': '5' });
      response.write('he');
    });
    const args = ['download', 'member', 'a.txt', '--to', '.', '--timeout', '2'];
    expect((await run(args)).exit).toBe(8);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a signed address', () => {
  test('is renewed if it has expired', async () => {
    const { run, folder, faults, api } = await scriptedFiles({ 'a.txt': 'hello' });
    faults.storage = failing('GET', 1, (response) =>
      answerXml(response, 403, 'AccessDenied', 'Request has expired'),
    );
    expect((await run(['download', 'member', 'a.txt', '--to', '.'])).exit).toBe(0);
    expect(read(folder, 'a.txt')).toBe('hello');
    expect(api.requests).toHaveLength(2);
  });

  test('that is refused is reported without its signature: 7', async () => {
    const { run, faults, methods } = await scriptedFiles({ 'a.txt': 'hello' });
    faults.storage = failing('GET', 9, (response) =>
      answerXml(response, 403, 'SignatureDoesNotMatch', 'no'),
    );
    const result = await run(['download', 'member', 'a.txt', '--to', '.', '--verbose']);
    expect(result.exit).toBe(7);
    expect(result.stderr).toContain('the file storage answered 403: SignatureDoesNotMatch: no');
    expect(result.stderr).not.toContain(SIGNATURE);
    expect(methods()).toEqual(['GET', '*GET']);
  });

  test.each(['', 'nowhere', 'file:///etc/passwd', 'http://user:pw@127.0.0.1/', 'http://a/b c'])(
    'that cannot be called is an unusable response: 8 (%j)',
    async (url) => {
      const { run, folder, faults } = await scriptedFiles({ 'a.txt': 'hello' });
      faults.api = (_, response) => {
        answerJson(response, 200, { key: 'a.txt', size: 5, modified: MODIFIED, url });
        return true;
      };
      const { exit, stderr } = await run(['download', 'member', 'a.txt', '--to', '.']);
      expect([exit, stderr]).toEqual([
        8,
        expect.stringContaining('URL of the record cannot be called'),
      ]);
      expect(stderr).not.toContain('pw@');
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  test('of a record with an enormous size gets no unlimited time', async () => {
    const { run, faults, storage } = await scriptedFiles({ 'a.txt': 'hello' });
    faults.api = (_, response) => {
      const url = `${storage.origin}/get/a.txt`;
      answerJson(response, 200, { key: 'a.txt', size: 2 ** 60, modified: MODIFIED, url });
      return true;
    };
    const { exit, stderr } = await run(['download', 'member', 'a.txt', '--to', '.']);
    expect([exit, stderr]).toEqual([8, expect.stringContaining('it has 5 bytes')]);
    expect(stderr).not.toMatch(/Overflow|no answer within/);
  });
});

test('files download reports a folder that cannot be created as an error of the machine, not a bug: 1', async () => {
  const { run, folder } = await scriptedFiles({ 'a.txt': 'hello' });
  writeFileSync(join(folder, 'file'), '');
  const { exit, stderr } = await run(['download', 'member', 'a.txt', '--to', 'file/in']);
  expect([exit, stderr]).toEqual([1, expect.not.stringContaining('bug')]);
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  'files download leaves no file and no part of one after %s: 130',
  async (signal) => {
    const { options, folder, faults } = await scriptedFiles({ 'a.txt': 'hello', 'b.txt': 'b' });
    const args = ['files', 'download', 'member', '--all', '--to', 'in', '--concurrency', '1'];
    const { kill, ended } = start(args, options);
    faults.storage = (_, response) => {
      response.writeHead(200, { 'content-length': '5' });
      response.write('he', () => kill(signal));
      return true;
    };
    expect((await ended).exit).toBe(130);
    expect(readdirSync(join(folder, 'in'))).toEqual([]);
  },
);
