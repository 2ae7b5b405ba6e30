import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Clock } from '../../src/ports.ts';
import { binary, type BinaryOptions } from '../support/binary.ts';
import { FastClock } from '../support/clock.ts';
import { startEmulator } from '../support/emulator.ts';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import type { Piece } from '../support/raw-server.ts';
import { eachOf } from './each-of.ts';
import { type FilesService, head, startFiles, startSlowUpload } from './raw-answers.ts';
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
      // The short form has the smallest and the largest.
      const sizes = IS_LONG ? SIZES_MB : [Math.min(...SIZES_MB), Math.max(...SIZES_MB)];
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

const CORES: Readonly<Record<string, BinaryOptions>> = {
  '': {},
  ', all on one core': { wrapper: ['taskset', '-c', '0'] },
};
for (const [where, options] of Object.entries(CORES)) {
  hostile(
    {
      tried: `20 MB from the emulator, by the built binary${where}`,
      size: { short: 1, long: 50 },
      limitMs: 300_000,
      cannotRun: () =>
        options.wrapper && spawnSync(options.wrapper[0] ?? '', ['-V']).error
          ? 'there is no taskset'
          : undefined,
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
      const uploaded = await binary(['files', 'upload', 'context', file, '-l', launch], options);
      expect(uploaded.exit).toBe(0);
      const args = ['files', 'download', 'context', 'file.bin', '-o', out, '--overwrite'];
      for (let time = 0; time < times; time += 1) {
        const { exit, stderr } = await binary([...args, '-l', launch], options);
        expect([exit, stderr]).toEqual([0, '1 file: 1 downloaded\n']);
        expect(readFileSync(out).equals(content)).toBe(true);
      }
    },
  );
}

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

/** Makes sockets and timers hold no process, so that Node ends while a command still waits. */
const UNHELD = `
  const { connect } = require('node:net').Socket.prototype;
  require('node:net').Socket.prototype.connect = function (...to) {
    return connect.apply(this, to).unref();
  };
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (...wait) => setTimeout(...wait).unref();
`;
hostile(
  {
    tried: 'a process whose event loop is empty during a command',
    times: { short: 1, long: 50 },
  },
  async () => {
    const service = await startFiles(10, () => [head(10), 'hold']);
    const preload = join(temporaryFolder(), 'unheld.cjs');
    writeFileSync(preload, UNHELD);
    const out = join(temporaryFolder(), 'out.bin');
    const args = ['files', 'download', 'context', 'file.bin', '-o', out, '-l', service.launch];
    const { exit, stderr } = await binary(args, { env: { NODE_OPTIONS: `--require=${preload}` } });
    expect(exit).toBe(1);
    expect(stderr).toContain('this is a bug. Please report it');
    expect(stderr).toContain('the command is waiting for something that can no longer happen');
  },
);

hostile(
  {
    tried: 'a download that stalls, one of 200 bytes a second, and one without a response',
    times: { short: 1, long: 50 },
  },
  async () => {
    const size = 20_000_000;
    const ways: Readonly<Record<string, () => Iterable<Piece>>> = {
      'fewer than 1 KB/s came over 1 s': () => [head(size), Buffer.alloc(size / 2), 'hold'],
      'fewer than 1 KB/s came over 1 s ': () => trickle(size, 20, 100),
      'no answer within 1 s': () => ['hold'],
      'no answer within 1 s ': () => [head(size), 'hold'],
    };
    await eachOf(Object.entries(ways), async ([words, bytes]) => {
      const service = await startFiles(size, bytes);
      const started = performance.now();
      const { exit, names, stderr } = await download(service, { flags: ['--timeout', '1'] });
      expect([words, exit, names]).toEqual([words, 8, []]);
      expect(stderr).toContain(words.trim());
      expect(performance.now() - started).toBeLessThan(30_000);
      // A line that is dead is not asked again.
      expect(service.requests.filter(({ target }) => target.startsWith('/bytes'))).toHaveLength(1);
    });
  },
);

hostile(
  {
    tried: 'a download and an upload that take three times the deadline, at more than 1 KB/s',
    times: { short: 1, long: 50 },
  },
  async () => {
    // A piece is enough for a second: a shorter delay does not count as slow.
    const service = await startFiles(60_000, () => trickle(60_000, 2_000, 100));
    const slow = await startSlowUpload({ bytes: 800_000, everyMs: 100 });
    const file = join(temporaryFolder(), 'file.bin');
    writeFileSync(file, randomBytes(25_000_000));
    const args = ['files', 'upload', 'context', file, '-l', slow.launch, '--timeout', '1'];
    const [down, up] = await Promise.all([
      download(service, { flags: ['--timeout', '1'] }),
      lectern(args),
    ]);
    expect([down.exit, down.bytes?.length, down.stderr]).toEqual([0, 60_000, expect.anything()]);
    expect([up.exit, slow.received(), up.stderr]).toEqual([0, [25_000_000], expect.anything()]);
  },
);

hostile(
  {
    tried: 'an upload whose receiver stops reading, or never responds',
    times: { short: 1, long: 50 },
  },
  async () => {
    const file = join(temporaryFolder(), 'file.bin');
    writeFileSync(file, randomBytes(25_000_000));
    const readers = [
      { speed: { bytes: 3_000_000, everyMs: 1e6 }, words: 'fewer than 1 KB/s went over 1 s' },
      { speed: { bytes: 30_000_000, everyMs: 1, isSilent: true }, words: 'no answer within 1 s' },
    ];
    await eachOf(readers, async ({ speed, words }) => {
      const slow = await startSlowUpload(speed);
      const args = ['files', 'upload', 'context', file, '-l', slow.launch, '--timeout', '1'];
      const started = performance.now();
      const { exit, stderr } = await lectern(args);
      expect([words, exit]).toEqual([words, 10]);
      expect(stderr).toContain(words);
      expect(performance.now() - started).toBeLessThan(30_000);
    });
  },
);

/** A body that comes a little at a time. */
function* trickle(size: number, bytes: number, everyMs: number): Generator<Piece> {
  yield head(size);
  for (let at = 0; at < size; at += bytes) {
    yield Buffer.alloc(bytes);
    yield { wait: everyMs };
  }
}

hostile(
  {
    tried: '60 files up and down over 32 connections with 40 file descriptors (ulimit -n)',
    times: { short: 1, long: 20 },
    limitMs: 60_000,
    cannotRun: () => (process.platform === 'win32' ? 'there is no ulimit' : undefined),
  },
  async () => {
    const emulator = await startEmulator();
    const folder = temporaryFolder();
    const launch = join(folder, 'launch.json');
    writeFileSync(launch, JSON.stringify(await emulator.launch({ role: 'instructor' })));
    const names = Array.from({ length: 60 }, (_, index) => `file-${index + 10}`);
    for (const name of names) writeFileSync(join(folder, name), name.repeat(10_000));
    const wrapper = ['/bin/sh', '-c', 'ulimit -n 40; exec "$@"', 'sh'];
    const run = async (...args: string[]): Promise<void> => {
      const flags = ['--concurrency', '32', '-l', launch];
      const { exit, stderr } = await binary(['files', ...args, ...flags], { cwd: folder, wrapper });
      expect([exit, stderr.match(/few file descriptors/g)]).toEqual([0, ['few file descriptors']]);
    };
    await run('upload', 'context', ...names);
    await run('download', 'context', '--all', '--to', 'out');
    for (const name of names) {
      expect(readFileSync(join(folder, 'out', name), 'utf8')).toBe(name.repeat(10_000));
    }
  },
);
