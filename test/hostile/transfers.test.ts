import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Clock } from '../../src/ports.ts';
import { binary } from '../support/binary.ts';
import { FastClock } from '../support/clock.ts';
import { startEmulator } from '../support/emulator.ts';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import type { Piece } from '../support/raw-server.ts';
import { type FilesService, head, startFiles } from './raw-answers.ts';
import { hostileCases, IS_LONG } from './support.ts';

const hostile = hostileCases('Transfers');

interface DownloadOptions {
  readonly flags?: readonly string[];
  readonly clock?: Clock;
}

/** Downloads the service's file; returns the files of the folder afterwards. */
async function download(
  { launch }: FilesService,
  { flags = [], ...options }: DownloadOptions = {},
) {
  const folder = temporaryFolder();
  const out = join(folder, 'out.bin');
  const args = ['files', 'download', 'context', 'file.bin', '-o', out, '-l', launch, ...flags];
  const { exit, stderr } = await lectern(args, options);
  const names = readdirSync(folder);
  return { exit, stderr, names, bytes: exit === 0 ? readFileSync(out) : undefined };
}

const SIZES_MB = [0.1, 2, 20, 25, 60];
const WAYS: Readonly<Record<string, (content: Buffer) => Iterable<Piece>>> = {
  'at once': (content) => [Buffer.concat([Buffer.from(head(content.length)), content])],
  'in pieces of 1 to 70,000 bytes': pieces,
};
for (const [way, send] of Object.entries(WAYS)) {
  hostile(
    {
      tried: `downloads of ${SIZES_MB.join(', ')} MB, sent ${way}`,
      times: { short: 1, long: 50 },
    },
    async () => {
      const sizes = IS_LONG ? SIZES_MB : [0.1, 20];
      for (const megabytes of sizes) {
        const content = randomBytes(megabytes * 1_000_000);
        const service = await startFiles(content.length, () => send(content));
        const { exit, stderr, names, bytes } = await download(service);
        expect([exit, stderr, names]).toEqual([0, '1 file: 1 downloaded\n', ['out.bin']]);
        expect(bytes?.equals(content)).toBe(true);
      }
    },
  );
}

/** Slow for its reader: a turn of the event loop, or a millisecond, lies between any two. */
function* pieces(content: Buffer): Generator<Piece> {
  yield head(content.length);
  for (let at = 0, turn = 0; at < content.length; turn += 1) {
    const length = 1 + ((turn * 7919) % 70_000);
    yield content.subarray(at, at + length);
    at += length;
    if (turn % 50 === 0) yield { wait: 1 };
  }
}

hostile(
  {
    tried: '20 MB from the emulator, by the built binary, all on one core',
    size: { short: 1, long: 50 },
    limitMs: 300_000,
    cannotRun: () => (process.platform === 'linux' ? undefined : 'taskset is of Linux'),
  },
  async ({ size: times }) => {
    const emulator = await startEmulator();
    const folder = temporaryFolder();
    const [launch, file, out] = ['launch.json', 'file.bin', 'out.bin'].map((name) =>
      join(folder, name),
    ) as [string, string, string];
    writeFileSync(launch, JSON.stringify(await emulator.launch({ role: 'instructor' })));
    const content = randomBytes(20_000_000);
    writeFileSync(file, content);
    const run = (...args: string[]) =>
      binary(['files', ...args, '-l', launch], { wrapper: ['taskset', '-c', '0'] });
    expect((await run('upload', 'context', file)).exit).toBe(0);
    for (let time = 0; time < times; time += 1) {
      const words = ['context', 'file.bin', '-o', out, '--overwrite'];
      const { exit, stderr } = await run('download', ...words);
      expect([exit, stderr]).toEqual([0, '1 file: 1 downloaded\n']);
      expect(readFileSync(out).equals(content)).toBe(true);
    }
  },
);

const BROKEN: Readonly<Record<string, readonly string[]>> = {
  'a connection that was to stay': [],
  'a connection that was to close': ['connection: close'],
};
for (const [connection, headers] of Object.entries(BROKEN)) {
  hostile(
    {
      tried: `${connection} is reset while the reader is behind`,
      times: { short: 1, long: 50 },
    },
    async () => {
      const part = Buffer.alloc(2_000_000);
      const service = await startFiles(50_000_000, () => [head(50_000_000, headers), part, 'RST']);
      const { exit, names, stderr } = await download(service, { clock: new FastClock() });
      expect([exit, names]).toEqual([8, []]);
      expect(stderr).toMatch(/the connection was closed|the response was cut off/);
      expect(service.requests.filter(({ target }) => target.startsWith('/bytes'))).toHaveLength(3);
    },
  );
}

hostile(
  {
    tried: 'a download that stalls',
    times: { short: 1, long: 50 },
  },
  async () => {
    const size = 20_000_000;
    const service = await startFiles(size, () => [head(size), Buffer.alloc(size / 2), 'hold']);
    const { exit, names, stderr } = await download(service, { flags: ['--timeout', '1'] });
    expect([exit, names]).toEqual([8, []]);
    expect(stderr).toContain('fewer than 1 KB/s came over 1 s');
    // A line that is dead is not asked again.
    expect(service.requests.filter(({ target }) => target.startsWith('/bytes'))).toHaveLength(1);
  },
);
