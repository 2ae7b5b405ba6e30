import { execFile } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileUrl } from '../../src/contract/index.ts';
import { serveEmulator } from '../../src/emulator/index.ts';
import type { Line } from './figure.ts';
import type { Bench } from './main.ts';
import { BINARY, line, peakMemory, timed, wallTime } from './processes.ts';

const run = promisify(execFile);

const LARGE_BYTES = 25_000_000;
const SMALL_BYTES = 100_000;
const MANY = 100;

/** Files against curl, which makes the same two calls for each and checks nothing. */
export const files: Bench = async (lines, folder) => {
  const emulator = await serveEmulator({ controlToken: 'bench', pid: process.pid });
  try {
    const { claims } = await emulator.control('POST launch', { role: 'instructor' });
    const path = join(folder, 'launch.json');
    writeFileSync(path, JSON.stringify(claims));
    await lines(linesOf(folder, path, claims as unknown as Claims));
  } finally {
    await emulator.close();
  }
};

interface Claims {
  readonly api: { readonly token: string };
  readonly files: { readonly context: string; readonly location: string };
}

function linesOf(folder: string, path: string, claims: Claims): Line[] {
  const large = join(folder, 'large.bin');
  const small = join(folder, 'small.bin');
  writeFileSync(large, randomBytes(LARGE_BYTES));
  writeFileSync(small, randomBytes(SMALL_BYTES));
  const many = Array.from({ length: MANY }, (_, index) => join(folder, `file-${index}.bin`));
  for (const each of many) writeFileSync(each, randomBytes(SMALL_BYTES));
  const out = join(folder, 'out.bin');
  const env = { LECTERN_HOME: folder };
  const lectern = (...args: string[]): string[] => [BINARY, 'files', ...args, '-l', path];
  const upload = (file: string): string[] => lectern('upload', 'context', file);
  const download = (file: string): string[] =>
    lectern('download', 'context', file, '-o', out, '--overwrite');
  const curl = curlWith(claims.api.token);
  const peak = (args: string[]) => () => peakMemory(args, env, join(folder, 'peak'));
  return [
    line(
      { name: 'lectern files upload, 25 MB / curl', goal: { atMost: 2.4 }, pairs: 21 },
      () => wallTime(upload(large), env),
      () => timed(() => curl.upload(claims.files.context, large, 'large.bin')),
    ),
    line(
      { name: 'lectern files download, 25 MB / curl', goal: { atMost: 2.6 }, pairs: 21 },
      () => wallTime(download('large.bin'), env),
      () => timed(() => curl.download(claims.files.context, 'large.bin', out)),
    ),
    line(
      {
        name: 'lectern files upload, 100 of 100 KB / curl one by one',
        goal: { atMost: 0.3 },
        pairs: 5,
      },
      () => wallTime(lectern('upload', 'location', ...many), env),
      () => timed(() => curl.uploadAll(claims.files.location, many)),
    ),
    line(
      { name: 'peak memory of an upload, 25 MB / 100 KB', goal: { atMost: 1.2 }, pairs: 7 },
      peak(upload(large)),
      peak(upload(small)),
    ),
    line(
      { name: 'peak memory of a download, 25 MB / 100 KB', goal: { atMost: 1.3 }, pairs: 7 },
      peak(download('large.bin')),
      peak(download('small.bin')),
    ),
  ];
}

/** The two calls of the contract's upload sequence, and the two of a download. */
function curlWith(token: string) {
  const bearer = ['-s', '-f', '-m', '60', '-H', `Authorization: Bearer ${token}`];
  const upload = async (filesUrl: string, path: string, key: string): Promise<void> => {
    const body = JSON.stringify({ size: statSync(path).size });
    const json = ['-H', 'Content-Type: application/json', '-X', 'PUT', '-d', body];
    const declared = await run('curl', [...bearer, ...json, fileUrl(filesUrl, key)]);
    const form = JSON.parse(declared.stdout) as { url: string; fields: Record<string, string> };
    const fields = Object.entries(form.fields).flatMap(([name, value]) => [
      '--form-string',
      `${name}=${value}`,
    ]);
    await run('curl', ['-s', '-f', '-m', '60', ...fields, '-F', `file=@${path}`, form.url]);
  };
  return {
    upload,
    uploadAll: async (filesUrl: string, paths: readonly string[]): Promise<void> => {
      for (const [index, path] of paths.entries())
        await upload(filesUrl, path, `file-${index}.bin`);
    },
    download: async (filesUrl: string, key: string, out: string): Promise<void> => {
      const record = await run('curl', [...bearer, fileUrl(filesUrl, key)]);
      const { url } = JSON.parse(record.stdout) as { url: string };
      await run('curl', ['-s', '-f', '-m', '60', '-o', out, url]);
    },
  };
}
