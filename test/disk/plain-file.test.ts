import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkPlainFile, readPlainFile } from '../../src/disk/plain-file.ts';
import { temporaryFolder } from '../support/lectern.ts';
import { atEnd } from '../support/scope.ts';

function fileOf(content: string | Uint8Array): string {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, content);
  return path;
}

describe('readPlainFile', () => {
  test.each([0, 1, 65_535, 65_536, 200_000])('reads %i bytes', (size) => {
    const content = Buffer.alloc(size, 'x');
    expect(readPlainFile(fileOf(content), 200_000).equals(content)).toBe(true);
  });

  test('reads up to the limit, and rejects one byte more', () => {
    expect(readPlainFile(fileOf('abc'), 3).toString()).toBe('abc');
    expect(() => readPlainFile(fileOf('abcd'), 3)).toThrow('it has more than 3 bytes');
  });

  test('rejects a file that is too large without reading it', () => {
    const path = fileOf('');
    truncateSync(path, 3e9);
    expect(() => readPlainFile(path, 1_000_000)).toThrow('it has more than 1000000 bytes');
  });

  test.runIf(process.platform === 'linux')('reads a file of unknown size up to the limit', () => {
    expect(readPlainFile('/proc/self/status', 100_000).toString()).toContain('Pid:');
    expect(() => readPlainFile('/proc/self/status', 100)).toThrow('it has more than 100 bytes');
  });

  test('follows a link to a file unless that is forbidden', () => {
    const link = join(temporaryFolder(), 'link');
    symlinkSync(fileOf('abc'), link);
    expect(readPlainFile(link, 3).toString()).toBe('abc');
    expect(() => readPlainFile(link, 3, { followLinks: false })).toThrow('ELOOP');
  });

  test('throws the system’s error if the file is missing', () => {
    expect(() => readPlainFile(join(temporaryFolder(), 'none'), 3)).toThrow('ENOENT');
  });
});

const OTHERS: [string, (path: string) => void | Promise<void>][] = [
  ['a folder', (path) => void mkdirSync(path)],
  ['a named pipe', (path) => void execFileSync('mkfifo', [path])],
  ['a device', (path) => symlinkSync('/dev/zero', path)],
  [
    'a socket',
    (path) =>
      new Promise((resolve) => {
        const server = createServer().listen(path, resolve);
        atEnd(() => server.close());
      }),
  ],
];

describe.runIf(process.platform !== 'win32').each(OTHERS)('%s', (kind, make) => {
  const made = async (): Promise<string> => {
    const path = join(temporaryFolder(), 'other');
    await make(path);
    return path;
  };

  test('is refused at once by readPlainFile', async () => {
    const path = await made();
    expect(() => readPlainFile(path, 3)).toThrow(kind === 'a socket' ? 'ENXIO' : `it is ${kind}`);
  });

  test('is refused by checkPlainFile', async () => {
    const path = await made();
    expect(() => checkPlainFile(path)).toThrow(`${path} cannot be read: it is ${kind}`);
  });
});

test('checkPlainFile accepts a file, and a path where there is none', () => {
  expect(() => checkPlainFile(fileOf(''))).not.toThrow();
  expect(() => checkPlainFile(join(temporaryFolder(), 'none'))).not.toThrow();
});
