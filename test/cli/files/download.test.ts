import type { ServerResponse } from 'node:http';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { nameFault, pathsThatDifferByCase } from '../../../src/transfer/local-names.ts';
import { answerJson } from '../../support/service.ts';
import { answerXml, failing, MODIFIED, scriptedFiles } from './scripted.ts';

const DOWNLOAD = 'files download member a.txt --to .';

/** Files of a service; `read` reads a file of the folder. */
async function downloading(contents: Record<string, string>) {
  const service = await scriptedFiles(contents);
  const { folder } = service;
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
  return { ...service, read, names: (path = '.') => readdirSync(join(folder, path)).toSorted() };
}

describe('files download', () => {
  test('--all creates the folder and sets the dates of the row', async () => {
    const { step, folder, storage, read, names } = await downloading({
      'a.txt': 'hello',
      'b.txt': '',
      CON: 'c',
    });
    await step('files download member --all --to in/here', {
      stdout: ['CON\t1\tdownloaded\n', 'a.txt\t5\tdownloaded\n', 'b.txt\t0\tdownloaded\n'],
      stderr: '3 files: 3 downloaded',
    });
    expect(names('in/here')).toEqual(['CON', 'a.txt', 'b.txt']);
    expect(read('in/here/a.txt')).toBe('hello');
    expect(statSync(join(folder, 'in/here/a.txt')).mtimeMs).toBe(MODIFIED);
    for (const { headers } of storage.requests) {
      expect([headers.authorization, headers.cookie]).toEqual([undefined, undefined]);
    }
  });

  test('writes one file to a name, some by their keys, or one into a pipe', async () => {
    const { step, names } = await downloading({ 'a.txt': 'hello', 'b.txt': 'b', 'c.txt': 'c' });
    const stdout = /^a\.txt\t5\tdownloaded\n$/;
    await step('files download member a.txt -o other.txt', { stdout });
    await step('files download member b.txt c.txt b.txt');
    expect(names()).toEqual(['b.txt', 'c.txt', 'other.txt']);
    await step('files download member a.txt', { stdout: /^hello$/ });
    await step('files download member a.txt -o - --quiet', { stdout: /^hello$/ });
  });

  test('--json prints a line for each file', async () => {
    const { step } = await downloading({ 'a.txt': 'hello' });
    await step('files download member a.txt nix --json', {
      exit: 9,
      json: {
        files: [
          { path: 'a.txt', key: 'a.txt', size: 5, outcome: 'downloaded', error: null },
          { key: 'nix', outcome: 'failed', error: { exit: 6, status: 404 } },
        ],
        summary: { files: 2, downloaded: 1, failed: 1 },
      },
    });
  });

  test('rejects flags that exclude each other, and a file as the folder, before any request: 2', async () => {
    const { step } = await downloading({ 'a.txt': 'hello' });
    const lines = `
      files download member # exit 2
      files download member a.txt --all # exit 2
      files download member a.txt --to . -o x # exit 2
      files download member a.txt --to - # exit 2
      files download member a.txt b.txt -o x # exit 2
      files download member a.txt -o - --json # exit 2
      files download member a.txt --to file # exit 2: file is not a folder`;
    await step(lines, { files: { file: '' }, methods: [] });
  });
});

describe('an existing local file', () => {
  test('stays unless --overwrite is set, which is decided before any download', async () => {
    const { step, read, names } = await downloading({ 'a.txt': 'new', 'b.txt': 'b' });
    const all = 'files download member --all --to .';
    const files = { 'a.txt': 'old' };
    await step(all, { files, exit: 3, stderr: '--overwrite', methods: ['GET'] });
    expect([names(), read('a.txt')]).toEqual([['a.txt'], 'old']);
    await step(`${all} --overwrite`);
    expect(read('a.txt')).toBe('new');
  });

  test('stays if it appears during the download', async () => {
    const { step, folder, faults, read, names } = await downloading({ 'a.txt': 'new' });
    faults.storage = () => {
      writeFileSync(join(folder, 'a.txt'), 'came first');
      return false;
    };
    await step(DOWNLOAD, { exit: 3 });
    expect([names(), read('a.txt')]).toEqual([['a.txt'], 'came first']);
  });

  test('that is a link is replaced itself, and nothing outside the folder changes', async () => {
    const { step, folder, read } = await downloading({ 'a.txt': 'new' });
    mkdirSync(join(folder, 'in'));
    symlinkSync('../outside.txt', join(folder, 'in/a.txt'));
    const files = { 'outside.txt': 'outside' };
    await step('files download member a.txt --to in', { files, exit: 3 });
    await step('files download member a.txt --to in --overwrite');
    expect([read('outside.txt'), read('in/a.txt')]).toEqual(['outside', 'new']);
  });

  test.each(['dir', '/dev/null'])('is not overwritten if no regular file: %s', async (path) => {
    const { step, folder } = await downloading({ 'a.txt': 'new' });
    mkdirSync(join(folder, 'dir'));
    await step(`files download member a.txt -o ${path} --overwrite`, { exit: 3 });
  });
});

describe('keys that are not file names', () => {
  test('fail alone, and nothing is written outside the folder', async () => {
    const { step, faults, names } = await downloading({ 'a.txt': 'hello' });
    const hostile = ['../out.txt', '/out.txt', '..', '.bashrc', 'a/b', 'a\\b', '', 'x\u0000y'];
    const items = ['a.txt', ...hostile].map((key) => ({ key, size: 5, modified: MODIFIED }));
    faults.api = (request, response) => {
      if (!request.target.includes('member?')) return false;
      answerJson(response, 200, items);
      return true;
    };
    await step('files download member --all --to in --overwrite --json', {
      exit: 9,
      json: { summary: { files: 9, downloaded: 1, failed: 8 } },
      methods: ['GET', 'GET', '*GET'],
    });
    await step('files sync member in', { exit: 9, stderr: 'not synced: ../out.txt' });
    expect([names(), names('in')]).toEqual([['in'], ['a.txt']]);
    const json = { summary: { deleted: 1, failed: 8 } };
    await step('files rm member --all --yes --json', { exit: 9, json });
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
    const { step, read } = await downloading({ 'a.txt': 'small', 'A.txt': 'LARGE' });
    await step('files download member --all --to in');
    expect([read('in/a.txt'), read('in/A.txt')]).toEqual(['small', 'LARGE']);
  });
});

describe('an incomplete download', () => {
  const cut = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-length': '5' });
    response.write('he', () => response.destroy());
  };

  test('is repeated', async () => {
    const { step, faults, read } = await downloading({ 'a.txt': 'hello' });
    faults.storage = failing('GET', 1, cut);
    await step(DOWNLOAD, { methods: ['GET', 'GET', '*GET', '*GET'] });
    expect(read('a.txt')).toBe('hello');
  });

  test('is none if it was compressed on the way', async () => {
    const { step, faults, read } = await downloading({ 'a.txt': 'hello' });
    faults.storage = failing('GET', 9, (response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('hello'));
    });
    await step(DOWNLOAD);
    expect(read('a.txt')).toBe('hello');
  });

  test.each<[name: string, answer: (response: ServerResponse) => unknown]>([
    ['compressed, and no gzip', (r) => r.writeHead(200, { 'content-encoding': 'gzip' }).end('he')],
    ['cut every time', cut],
    ['shorter than its record', (r) => r.end('he')],
    ['longer than its record', (r) => r.end('hello!')],
    ['a server error', (r) => r.writeHead(503).end()],
    ['a redirect', (r) => r.writeHead(302, { location: '/' }).end()],
  ])('leaves no file: %s: 8', async (_, answer) => {
    const { step, faults, names } = await downloading({ 'a.txt': 'hello' });
    faults.storage = failing('GET', 99, (response) => void answer(response));
    await step(DOWNLOAD, { exit: 8 });
    expect(names()).toEqual([]);
    await step('files download member a.txt -o -', { exit: 8, stdout: '' });
  });
});

describe('a signed address', () => {
  test.each([
    ['it has expired', 403, 'AccessDenied', 'Request has expired'],
    ['the file was replaced after its record was read', 404, 'NoSuchKey', 'The key does not exist'],
  ])('is renewed if %s', async (_, status, code, message) => {
    const { step, faults, replace, read } = await downloading({ 'a.txt': 'hello' });
    faults.storage = failing('GET', 1, (response) => {
      replace('a.txt', 'HELLO');
      answerXml(response, status, code, message);
    });
    await step(DOWNLOAD, { methods: ['GET', 'GET', '*GET', '*GET'] });
    expect(read('a.txt')).toBe('HELLO');
  });

  test.each(['', 'nowhere', 'file:///etc/passwd', 'http://user:pw@127.0.0.1/', 'http://a/b c'])(
    'that cannot be called is an unusable response: 8 (%j)',
    async (url) => {
      const { step, faults, names } = await downloading({ 'a.txt': 'hello' });
      faults.api = failing('GET', 9, (response) =>
        answerJson(response, 200, { key: 'a.txt', size: 5, modified: MODIFIED, url }),
      );
      const stderr = 'URL of the record cannot be called';
      await step(DOWNLOAD, { exit: 8, stderr, lacks: 'pw@' });
      expect(names()).toEqual([]);
    },
  );
});
