import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FILE_SIZE } from '../../../src/contract/index.ts';
import { lectern } from '../../support/lectern.ts';
import { answerJson } from '../../support/service.ts';
import { cells, emulatedFiles } from './emulated.ts';
import { multipart, scriptedFiles } from './scripted.ts';

/** A file of that many bytes which takes no room on the disk. */
function sparse(path: string, bytes: number): void {
  writeFileSync(path, '');
  truncateSync(path, bytes);
}

describe('files upload', () => {
  test('declares, posts the fields in order without a credential, and reads the record', async () => {
    const { run, file, api, storage, methods } = await scriptedFiles();
    file('notes.txt', 'grüße');
    const { exit, stdout, stderr } = await run(['upload', 'member', 'notes.txt']);
    expect([exit, cells(stdout)]).toEqual([0, [['notes.txt', '7', 'uploaded']]]);
    expect(stderr).toContain('member will hold 1 of 100 files, 7 B of 100 MB');
    expect(methods()).toEqual(['GET', 'PUT', 'GET', '*POST']);
    const [, declaration] = api.requests;
    expect(declaration?.target).toBe('/v0/f%69les/member/notes.txt?set=%20member');
    expect(JSON.parse(String(declaration?.body))).toEqual({ size: 7 });
    expect(declaration?.headers.authorization).toBe('Bearer launch-token-canary-1');
    const [posted] = storage.requests;
    expect(posted?.headers.authorization).toBeUndefined();
    expect(posted?.headers.cookie).toBeUndefined();
    expect(posted?.headers['content-length']).toBe(String(posted?.body.length));
    const parts = posted ? multipart(posted) : [];
    expect(parts.map(({ name }) => name)).toEqual(['key', 'Content-Type', 'policy', 'file']);
    expect(parts.at(-1)?.content).toBe('grüße');
    expect(parts.at(-1)?.head).toContain('filename="notes.txt"\r\nContent-Type: text/plain');
  });

  test('reports the reason for a single rejected file once', async () => {
    const { run, file } = await scriptedFiles();
    file('a.txt', 'x');
    const { exit, stderr } = await run(['upload', 'member', 'a.txt', '--key', '../a']);
    expect(exit).toBe(3);
    const [message = '', hint = ''] = stderr.trim().split('\n');
    expect([message, hint]).toEqual([
      expect.stringContaining('../a'),
      expect.stringMatching(/^ {2}(?!error).* \[file\.key[\w.]*\]$/),
    ]);
  });

  test('sends the values of flags, and the file name if the key differs', async () => {
    const { run, file, api } = await scriptedFiles();
    file('My essay.md', 'x');
    const flags = ['--key', 'essay-1.md', '--mimetype', 'text/x-essay', '--attachment'];
    await run(['upload', 'member', 'My essay.md', ...flags]);
    expect(JSON.parse(String(api.requests[1]?.body))).toEqual({
      size: 1,
      mimetype: 'text/x-essay',
      filename: 'My essay.md',
      attachment: true,
    });
  });

  test('gives a download the declared type and name', async () => {
    const { run, file } = await emulatedFiles();
    file('My essay.md', 'x');
    await run(['upload', 'member', 'My essay.md', '--key', 'e.md', '--attachment']);
    const { stdout } = await run(['stat', 'member', 'e.md', '--show-url', '--json']);
    const record = JSON.parse(stdout) as { url: string; content_type: string };
    expect(record.content_type).toBe('text/markdown');
    const response = await fetch(record.url);
    expect(response.headers.get('content-disposition')).toContain(
      'attachment; filename="My essay.md"',
    );
  });

  test('accepts many files, globs and an empty file', async () => {
    const { run, file, stored } = await emulatedFiles();
    for (const [name, text] of [
      ['a.txt', 'aa'],
      ['b.txt', ''],
      ['sub/c.txt', 'ccc'],
      ['d.bin', 'd'],
    ]) {
      file(String(name), String(text));
    }
    const { exit, stdout, stderr } = await run([
      'upload',
      'member',
      '*.txt',
      'sub/c.txt',
      'a.txt',
      '--prefix',
      'w1-',
    ]);
    expect(exit).toBe(0);
    expect(cells(stdout).sort()).toEqual([
      ['w1-a.txt', '2', 'uploaded'],
      ['w1-b.txt', '0', 'uploaded'],
      ['w1-c.txt', '3', 'uploaded'],
    ]);
    expect(stderr).toContain('3 files: 3 uploaded');
    expect(await stored()).toEqual({ 'w1-a.txt': 2, 'w1-b.txt': 0, 'w1-c.txt': 3 });
  });

  test('accepts a glob with backslashes on Windows', async () => {
    const { run, file, stored } = await emulatedFiles();
    file('sub/c.txt', 'ccc');
    const { exit } = await run(['upload', 'member', 'sub\\*.txt'], { platform: 'win32' });
    expect([exit, await stored()]).toEqual([0, { 'c.txt': 3 }]);
  });

  test('replaces the file of an existing key', async () => {
    const { run, file, stored } = await emulatedFiles();
    file('a.txt', 'hello');
    await run(['upload', 'member', 'a.txt']);
    file('a.txt', 'hello again');
    expect((await run(['upload', 'member', 'a.txt'])).exit).toBe(0);
    expect(await stored()).toEqual({ 'a.txt': 11 });
  });

  test('uploads a large file unchanged', async () => {
    const { run, file, folder } = await emulatedFiles();
    const bytes = Buffer.alloc(FILE_SIZE.cautiousBytes);
    for (let index = 0; index < bytes.length; index += 4096) bytes.writeUInt32LE(index, index);
    file('large.bin', bytes);
    expect((await run(['upload', 'context', 'large.bin'])).exit).toBe(0);
    expect((await run(['download', 'context', 'large.bin', '-o', 'back.bin'])).exit).toBe(0);
    expect(readFileSync(join(folder, 'back.bin')).equals(bytes)).toBe(true);
  });

  test('counts standard input first, and needs its key', async () => {
    const { run, stored } = await emulatedFiles();
    const input = 'x'.repeat(100_000);
    const { exit, stdout } = await run(['upload', 'member', '-', '--key', 'in.txt', '--json'], {
      input,
    });
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      files: [{ path: '-', key: 'in.txt', size: 100_000, outcome: 'uploaded', error: null }],
      summary: { files: 1, uploaded: 1 },
    });
    expect(await stored()).toEqual({ 'in.txt': 100_000 });
    const nameless = await run(['upload', 'member', '-'], { input });
    expect([nameless.exit, nameless.stderr]).toEqual([2, expect.stringContaining('--key')]);
  });

  test('uploads empty standard input with a warning', async () => {
    const { run, stored } = await emulatedFiles();
    const { exit, stderr } = await run(['upload', 'member', '-', '--key', 'in.txt']);
    expect([exit, stderr]).toEqual([
      0,
      expect.stringContaining('warning: standard input is empty: the file will have 0 bytes'),
    ]);
    expect(await stored()).toEqual({ 'in.txt': 0 });
  });

  test('follows a symbolic link only with a flag', async () => {
    const { run, file, folder, stored } = await emulatedFiles();
    file('real.txt', 'real');
    symlinkSync('real.txt', join(folder, 'link.txt'));
    const refused = await run(['upload', 'member', 'link.txt']);
    expect([refused.exit, refused.stderr]).toEqual([
      2,
      expect.stringContaining('--follow-symlinks'),
    ]);
    expect((await run(['upload', 'member', 'link.txt', '--follow-symlinks'])).exit).toBe(0);
    expect(await stored()).toEqual({ 'link.txt': 4 });
  });

  test('lets a student write to the own row, but not to a shared one: 5', async () => {
    const { run, file } = await emulatedFiles({ role: 'student' });
    file('a.txt', 'a');
    expect((await run(['upload', 'member', 'a.txt'])).exit).toBe(0);
    expect((await run(['upload', 'context', 'a.txt'])).exit).toBe(5);
  });

  test('--dry-run shows the declaration and the type, and sends nothing', async () => {
    const { run, file, claims, methods } = await scriptedFiles();
    file('a b.png', 'x');
    const { stdout, exit } = await run([
      'upload',
      'member',
      'a b.png',
      '--key',
      'a.png',
      '--dry-run',
      '--json',
    ]);
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      dry_run: true,
      method: 'PUT',
      url: claims.files.member?.replace('?', '/a.png?'),
      body: { size: 1, filename: 'a b.png' },
      findings: [],
      path: 'a b.png',
      mimetype: 'image/png',
    });
    expect(methods()).toEqual(['GET']);
    file('b.txt', 'x');
    const several = await run([
      'upload',
      'member',
      'a b.png',
      'b.txt',
      '--dry-run',
      '--prefix',
      'p',
      '--json',
    ]);
    expect(several.exit).toBe(3);
    file('c.txt', 'x');
    const list = await run(['upload', 'member', 'c.txt', 'b.txt', '--dry-run', '--json']);
    expect(JSON.parse(list.stdout)).toHaveLength(2);
  });
});

describe('files upload rejects without sending anything', () => {
  test('an invalid key, and suggests a valid one: 3', async () => {
    const { run, file, methods } = await scriptedFiles();
    file('Übung 1.txt', 'x');
    const { exit, stderr } = await run(['upload', 'member', 'Übung 1.txt']);
    expect(exit).toBe(3);
    expect(stderr).toContain('such as Ubung-1.txt');
    expect(methods()).toEqual([]);
  });

  test.each([
    ['at 25 MB of a million bytes', FILE_SIZE.cautiousBytes, 0, ''],
    [
      'over 25 MB of a million bytes',
      FILE_SIZE.cautiousBytes + 1,
      0,
      'warning: f.bin: size 25000001 exceeds 25 MB if',
    ],
    ['at 25 MiB', FILE_SIZE.bytes, 0, 'warning'],
    ['over 25 MB of 1024-based bytes', FILE_SIZE.bytes + 1, 3, 'exceeds the 25 MB limit of a file'],
  ])('a file by its size: %s', async (_, bytes, exit, text) => {
    const { run, folder, methods } = await scriptedFiles();
    sparse(join(folder, 'f.bin'), bytes);
    const result = await run(['upload', 'context', 'f.bin', '--dry-run']);
    expect(result.exit).toBe(exit);
    expect(result.stderr).toContain(text);
    if (text === '') expect(result.stderr).not.toContain('warning');
    expect(methods()).toEqual(exit === 0 ? ['GET'] : []);
  });

  test('standard input that is too large', async () => {
    const { run, methods } = await scriptedFiles();
    const input = Buffer.alloc(FILE_SIZE.bytes + 1);
    const { exit, stderr } = await run(['upload', 'member', '-', '--key', 'k'], { input });
    expect([exit, stderr]).toEqual([
      3,
      expect.stringContaining('exceeds the file size limit of 25 MB'),
    ]);
    expect(methods()).toEqual([]);
  });

  test('the 101st file, but not a replacement', async () => {
    const full = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, 'x']));
    const { run, file, methods } = await scriptedFiles(full);
    file('f1', 'yy');
    file('new', 'x');
    const { exit, stderr } = await run(['upload', 'member', 'new', 'f1']);
    expect([exit, stderr]).toEqual([
      3,
      expect.stringContaining('new: the row already has 100 of at most 100 files'),
    ]);
    expect(stderr).toContain('since 1 of these would be refused');
    expect(stderr).not.toContain('f1:');
    expect(methods()).toEqual(['GET']);
    expect((await run(['upload', 'member', 'f1'])).exit).toBe(0);
  });

  test.each([
    ['member', 3, 0],
    ['member', 4, 3],
    ['location', 9, 0],
    ['location', 10, 3],
    ['unnamed', 19, 0],
    ['unnamed', 20, 3],
  ])('the total of a stored file of 25 MB and %s row, and of %i more', async (row, count, exit) => {
    const { run, folder, faults, api } = await scriptedFiles();
    const size = FILE_SIZE.cautiousBytes;
    faults.api = (_, response) => {
      answerJson(response, 200, [{ key: 'there', size, modified: 1 }]);
      return true;
    };
    const names = Array.from({ length: count }, (_, index) => `n${index}.bin`);
    for (const name of names) sparse(join(folder, name), size);
    // A URL that the launch does not name may be of any row: the largest quota holds.
    const where = row === 'unnamed' ? `${api.origin}/v0/files` : row;
    const { exit: code, stderr } = await run(['upload', where, ...names, '--dry-run']);
    expect(code).toBe(exit);
    if (exit === 3) expect(stderr).toContain(`${(count + 1) * size} bytes would exceed`);
    else expect(stderr).not.toContain('warning');
  });

  test('two files with the same key', async () => {
    const { run, file, methods } = await scriptedFiles();
    file('a/x.txt', '1');
    file('b/x.txt', '2');
    const { exit, stderr } = await run(['upload', 'member', 'a/x.txt', 'b/x.txt']);
    expect([exit, stderr]).toEqual([2, expect.stringContaining('would both get the key x.txt')]);
    expect(methods()).toEqual([]);
  });

  test('a path that is not a regular file', async () => {
    const { run, folder, methods } = await scriptedFiles();
    mkdirSync(join(folder, 'dir'));
    for (const path of ['dir', 'absent.txt', '*.none', '/dev/null']) {
      expect((await run(['upload', 'member', path])).exit).toBe(2);
    }
    expect((await run(['upload', 'member'])).exit).toBe(2);
    expect(methods()).toEqual([]);
  });

  test('a file where the row is expected', async () => {
    const { run, methods } = await scriptedFiles();
    for (const args of [
      ['upload', './a.txt', 'member'],
      ['download', 'a.txt'],
      ['rm', 'a.txt'],
    ]) {
      const { exit, stderr } = await run(args);
      expect([exit, stderr]).toEqual([2, expect.stringMatching(/unknown row ".*a\.txt"/)]);
    }
    expect(methods()).toEqual([]);
  });

  test('a name that is not UTF-8, given or matched by a glob', async () => {
    const { run, folder, methods } = await scriptedFiles();
    writeFileSync(Buffer.concat([Buffer.from(join(folder, 'bad')), Buffer.from([0xff])]), 'x');
    // What the system hands over of such an argument.
    for (const path of ['bad\ufffd', 'bad*', '*']) {
      const { exit, stderr } = await run(['upload', 'member', path]);
      expect([exit, stderr]).toEqual([2, expect.stringContaining('no such file: "bad\ufffd"')]);
      expect(stderr).toContain('rename the file');
    }
    expect(methods()).toEqual([]);
    const synced = await run(['sync', '.', 'member']);
    expect(synced.stderr).toContain('not synced: bad\ufffd: a name that is not UTF-8');
    const validated = await lectern(['validate', 'file', '.'], { cwd: folder });
    expect([validated.exit, validated.stderr]).toEqual([
      2,
      expect.stringContaining('no such file'),
    ]);
  });

  test.each([
    ['--key with several files', ['a.txt', 'b.txt', '--key', 'k']],
    ['--filename with several files', ['a.txt', 'b.txt', '--filename', 'n']],
    ['--key with --prefix', ['a.txt', '--key', 'k', '--prefix', 'p']],
    ['a type with a line break', ['a.txt', '--mimetype', 'text/plain\r\nX: y']],
    ['a concurrency of 0', ['a.txt', '--concurrency', '0']],
  ])('%s: 2', async (_, args) => {
    const { run, file, methods } = await scriptedFiles();
    file('a.txt', 'a');
    file('b.txt', 'b');
    expect((await run(['upload', 'member', ...args])).exit).toBe(2);
    expect(methods()).toEqual([]);
  });
});
