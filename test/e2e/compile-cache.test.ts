import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { binary } from '../support/binary.ts';
import { temporaryFolder } from '../support/lectern.ts';
import { launchFile, startService } from '../support/service.ts';

async function runWith(root: string, env: Record<string, string> = {}): Promise<void> {
  const { exit, stderr } = await binary(['explain', 'limits'], {
    env: { XDG_CACHE_HOME: root, ...env },
  });
  expect([exit, stderr]).toEqual([0, '']);
}

describe.runIf(process.platform === 'linux')('the cache of compiled code', () => {
  test('is kept in a folder of the user alone', async () => {
    const root = join(temporaryFolder(), 'cache');
    await runWith(root);
    expect(statSync(join(root, 'lectern')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(root, 'lectern'))).toHaveLength(1);
    await runWith(root);
  });

  test('is not used where others could write to it', async () => {
    const root = temporaryFolder();
    mkdirSync(join(root, 'lectern'));
    chmodSync(join(root, 'lectern'), 0o777);
    await runWith(root);
    expect(readdirSync(join(root, 'lectern'))).toEqual([]);
  });

  test('is not used through a link', async () => {
    const [root, elsewhere] = [temporaryFolder(), temporaryFolder()];
    symlinkSync(elsewhere, join(root, 'lectern'));
    await runWith(root);
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});

describe.runIf(process.platform === 'linux')('compiled code', () => {
  const filesIn = (root: string): string[] => {
    const [folder = ''] = readdirSync(join(root, 'lectern'));
    return readdirSync(join(root, 'lectern', folder)).map((name) =>
      join(root, 'lectern', folder, name),
    );
  };

  test('is written once, whole, for the user alone', async () => {
    const root = temporaryFolder();
    await runWith(root);
    const files = filesIn(root);
    expect(files.length).toBeGreaterThan(2);
    const seen = files.map((file) => statSync(file));
    expect(new Set(seen.map(({ mode }) => mode & 0o777))).toEqual(new Set([0o600]));
    await runWith(root);
    expect(filesIn(root)).toEqual(files);
    // Written anew, a file would be another one.
    expect(files.map((file) => statSync(file).ino)).toEqual(seen.map(({ ino }) => ino));
  });

  test('is written again when another command has run more of it', async () => {
    const root = temporaryFolder();
    await runWith(root);
    const name = filesIn(root).find((file) => /\/run-[^/]+\.cjs/.test(file)) as string;
    const before = statSync(name).size;
    const decode = ['launch', 'decode', launchFile('http://127.0.0.1:1')];
    // One process in sixteen looks: that none of so many does happens once in ten million times.
    for (let left = 250; left > 0 && statSync(name).size === before; left -= 1) {
      await binary(decode, { env: { XDG_CACHE_HOME: root } });
    }
    expect(statSync(name).size).toBeGreaterThan(before * 1.02);
  });

  test('goes a month after it was written, when something new is', async () => {
    const root = temporaryFolder();
    await runWith(root);
    const [first = '', second = '', ...others] = filesIn(root);
    const days = (ago: number): number => Date.now() / 1000 - ago * 86_400;
    utimesSync(second, days(31), days(31));
    for (const each of others) utimesSync(each, days(29), days(29));
    await runWith(root);
    expect(filesIn(root)).toEqual([first, second, ...others]);
    rmSync(first);
    await runWith(root);
    expect(filesIn(root)).toEqual([first, ...others]);
  });

  test('is not read where a part of it is lost, and is written anew', async () => {
    const root = temporaryFolder();
    await runWith(root);
    const files = filesIn(root);
    const damages: ((bytes: Buffer) => Buffer)[] = [
      (bytes) => bytes.fill(0, bytes.length >> 1),
      (bytes) => bytes.subarray(0, bytes.length >> 1),
      (bytes) => bytes.fill(0),
      (bytes) => bytes.fill((bytes[100] as number) ^ 1, 100, 101),
      (bytes) => bytes.fill((bytes.at(-1) as number) ^ 1, bytes.length - 1),
      () => Buffer.alloc(0),
    ];
    const damaged = files.map((file, index) => {
      const damage = damages[index % damages.length] as (bytes: Buffer) => Buffer;
      const rest = damage(readFileSync(file));
      writeFileSync(file, rest);
      return rest;
    });
    await runWith(root);
    for (const [index, file] of files.entries()) {
      expect(readFileSync(file).equals(damaged[index] as Buffer)).toBe(false);
    }
  });

  test('loads modules of Node when they are needed', async () => {
    const service = await startService((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"a":1}'));
    });
    const env = { XDG_CACHE_HOME: temporaryFolder() };
    const args = ['storage', 'get', 'member', '-l', launchFile(service.origin)];
    for (const from of ['the source', 'the cache']) {
      const { exit, stdout, stderr } = await binary(args, { env });
      expect([from, exit, stdout, stderr]).toEqual([from, 0, '{\n  "a": 1\n}\n', '']);
    }
  });

  test('has no import(), which Node refuses in it', () => {
    const files = ['cli', 'chunks'].flatMap((folder) =>
      readdirSync(`dist/${folder}`).map((name) => `dist/${folder}/${name}`),
    );
    const code = files.filter((file) => file.endsWith('.cjs'));
    expect(code.length).toBeGreaterThan(10);
    const importing = code.filter((file) => /\bimport\(/.test(readFileSync(file, 'utf8')));
    expect(importing).toEqual([]);
  });

  test('is not kept where Node is told to keep none', async () => {
    const root = temporaryFolder();
    await runWith(root, { NODE_DISABLE_COMPILE_CACHE: '1' });
    await runWith(root, { NODE_V8_COVERAGE: join(root, 'coverage') });
    expect(existsSync(join(root, 'lectern'))).toBe(false);
  });
});

test.each(['/proc/nowhere', '/dev/null', 'relative', ''])(
  'a cache folder that cannot be is not fatal: %j',
  async (root) => {
    await runWith(root);
    expect(existsSync(root) && statSync(root).isDirectory()).toBe(false);
  },
);
