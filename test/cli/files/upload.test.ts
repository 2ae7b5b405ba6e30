import { readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FILE_SIZE } from '../../../src/contract/index.ts';
import { answerJson } from '../../support/service.ts';
import { jsonOf } from '../../support/steps.ts';
import { emulatedFiles } from './emulated.ts';
import { multipart, scriptedFiles } from './scripted.ts';
import { isUsual } from '../../support/emulator.ts';

/** A file of that many bytes which takes no room on the disk. */
function sparse(path: string, bytes: number): void {
  writeFileSync(path, '');
  truncateSync(path, bytes);
}

describe('files upload', () => {
  test('declares, posts the fields in order without a credential, and reads the record', async () => {
    const { step, api, storage } = await scriptedFiles();
    await step('files upload member notes.txt', {
      files: { 'notes.txt': 'grüße' },
      stdout: /^notes\.txt\t7\tuploaded\n$/,
      stderr: 'member will hold 1 of 100 files, 7 B of 100 MB',
      methods: ['GET', 'PUT', 'GET', '*POST'],
    });
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

  test('sends the values of flags, and the file name if the key differs', async () => {
    const { step, api } = await scriptedFiles();
    const flags = '--key essay-1.md --mimetype text/x-essay --attachment';
    await step(`files upload member 'My essay.md' ${flags}`, { files: { 'My essay.md': 'x' } });
    expect(JSON.parse(String(api.requests[1]?.body))).toEqual({
      size: 1,
      mimetype: 'text/x-essay',
      filename: 'My essay.md',
      attachment: true,
    });
  });

  test.runIf(isUsual('empty_files'))('accepts many files, globs and an empty file', async () => {
    const { step } = await emulatedFiles();
    await step('files upload member *.txt sub/c.txt a.txt --prefix w1-', {
      files: { 'a.txt': 'aa', 'b.txt': '', 'sub/c.txt': 'ccc', 'd.bin': 'd' },
      stdout: ['w1-a.txt\t2\tuploaded\n', 'w1-b.txt\t0\tuploaded\n', 'w1-c.txt\t3\tuploaded\n'],
      stderr: '3 files: 3 uploaded',
      stored: { 'w1-a.txt': 2, 'w1-b.txt': 0, 'w1-c.txt': 3 },
    });
  });

  test('accepts a glob with backslashes on Windows', async () => {
    const { step } = await emulatedFiles();
    const given = { files: { 'sub/c.txt': 'ccc' }, platform: 'win32' } as const;
    await step('files upload member sub\\*.txt', { ...given, stored: { 'c.txt': 3 } });
  });

  test('uploads a large file unchanged', async () => {
    const { step, folder } = await emulatedFiles();
    const bytes = Buffer.alloc(FILE_SIZE.cautiousBytes);
    for (let index = 0; index < bytes.length; index += 4096) bytes.writeUInt32LE(index, index);
    await step('files upload context large.bin', { files: { 'large.bin': bytes } });
    await step('files download context large.bin -o back.bin');
    expect(readFileSync(join(folder, 'back.bin')).equals(bytes)).toBe(true);
    const piped = await step('files download context large.bin -o -');
    expect(piped.stdoutBytes.equals(bytes)).toBe(true);
  });

  test('counts standard input first, and needs its key', async () => {
    const { step } = await emulatedFiles();
    const input = 'x'.repeat(100_000);
    const json = { files: [{ path: '-', key: 'in.txt', size: 100_000, outcome: 'uploaded' }] };
    const stored = { 'in.txt': 100_000 };
    await step('files upload member - --key in.txt --json', { input, json, stored });
    await step('files upload member -', { input, exit: 2, stderr: '--key' });
  });

  test.runIf(isUsual('empty_files'))('uploads empty standard input with a warning', async () => {
    const { step } = await emulatedFiles();
    const stderr = 'warning: standard input is empty: the file will have 0 bytes';
    await step('files upload member - --key in.txt', { stderr, stored: { 'in.txt': 0 } });
  });

  test('follows a symbolic link only with a flag', async () => {
    const { step, folder } = await emulatedFiles();
    symlinkSync('real.txt', join(folder, 'link.txt'));
    const files = { 'real.txt': 'real' };
    await step('files upload member link.txt', { files, exit: 2, stderr: '--follow-symlinks' });
    const stored = { 'link.txt': 4 };
    await step('files upload member link.txt --follow-symlinks', { stored });
  });

  test('--dry-run shows the declaration and the type, and sends nothing', async () => {
    const { step, claims } = await scriptedFiles();
    const files = { 'a b.png': 'x', 'b.txt': 'x', 'c.txt': 'x' };
    const dry = await step("files upload member 'a b.png' --key a.png --dry-run --json", {
      files,
      methods: ['GET'],
    });
    expect(jsonOf(dry)).toEqual({
      dry_run: true,
      method: 'PUT',
      url: claims.files.member?.replace('?', '/a.png?'),
      body: { size: 1, filename: 'a b.png' },
      findings: [],
      path: 'a b.png',
      mimetype: 'image/png',
    });
    await step("files upload member 'a b.png' b.txt --dry-run --prefix p --json", { exit: 3 });
    await step('files upload member c.txt b.txt --dry-run --json', { json: [{}, {}] });
  });
});

describe('files upload rejects without sending anything', () => {
  const files = { 'a.txt': 'a', 'b.txt': 'b', 'a/x.txt': '1', 'b/x.txt': '2', 'Übung 1.txt': 'x' };

  test('what is no file, or has no valid key or flags', async () => {
    const { step } = await scriptedFiles();
    const lines = `
      files upload member 'Übung 1.txt' # exit 3: such as Ubung-1.txt
      files upload member a.txt --key ../a # exit 3: ../a … [file.key
      files upload member a/x.txt b/x.txt # exit 2: would both get the key x.txt
      files upload member b # exit 2
      files upload member absent.txt # exit 2
      files upload member bad\ufffd # exit 2: no such file: "bad\ufffd" … rename the file
      files upload member *.none # exit 2
      files upload member /dev/null # exit 2
      files upload member # exit 2
      files upload member a.txt b.txt --key k # exit 2
      files upload member a.txt b.txt --filename n # exit 2
      files upload member a.txt --key k --prefix p # exit 2
      files upload member a.txt --mimetype 'text/plain\r\nX: y' # exit 2: of a.txt has a control character
      files upload member a.txt --concurrency 0 # exit 2
      files upload ./a.txt member # exit 2: unknown row "./a.txt"
      files download a.txt # exit 2: unknown row "a.txt"
      files rm a.txt # exit 2: unknown row "a.txt"`;
    await step(lines, { files, methods: [] });
  });

  test('standard input that is too large', async () => {
    const { step } = await scriptedFiles();
    const input = Buffer.alloc(FILE_SIZE.bytes + 1);
    const stderr = 'exceeds the file size limit of 25 MB';
    await step('files upload member - --key k', { input, exit: 3, stderr, methods: [] });
  });

  test('the 101st file, but not a replacement', async () => {
    const full = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, 'x']));
    const { step } = await scriptedFiles(full);
    await step('files upload member new f1', {
      files: { f1: 'yy', new: 'x' },
      exit: 3,
      stderr: [
        'new: the row already has 100 of at most 100 files',
        'since 1 of these would be refused',
      ],
      lacks: 'f1:',
      methods: ['GET'],
    });
    await step('files upload member f1');
  });

  test.each([
    ['member', 4, 3],
    ['location', 9, 0],
    ['unnamed', 20, 3],
  ])('the total of a stored file of 25 MB and %s row, and of %i more', async (row, count, exit) => {
    const { step, folder, faults, api } = await scriptedFiles();
    const size = FILE_SIZE.cautiousBytes;
    faults.api = (_, response) => {
      answerJson(response, 200, [{ key: 'there', size, modified: 1 }]);
      return true;
    };
    const names = Array.from({ length: count }, (_, index) => `n${index}.bin`);
    for (const name of names) sparse(join(folder, name), size);
    // A URL that the launch does not name may be of any row: the largest quota holds.
    const where = row === 'unnamed' ? `${api.origin}/v0/files` : row;
    await step(`files upload ${where} ${names.join(' ')} --dry-run`, {
      exit,
      stderr: exit === 3 ? `${(count + 1) * size} bytes would exceed` : [],
      lacks: exit === 3 ? [] : 'warning',
    });
  });
});
