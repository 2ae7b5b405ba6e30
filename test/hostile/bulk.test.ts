import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { file, members, readLines, submitFile, takeAll } from '../cli/grade/bulk.ts';
import { temporaryFolder } from '../support/lectern.ts';
import { gradeRuns, withoutProgress } from './grade-runs.ts';
import { hostileCases } from './support.ts';
import { seededRandom } from '../support/seeded.ts';

const hostile = hostileCases('Bulk');

const random = seededRandom();

/** Values of Retry-After that are not a time. */
const ODD_WAITS = ['0', '-1', 'abc', 'NaN', 'Thu, 01 Jan 1970 00:00:00 GMT', ''];

hostile(
  {
    tried: '14 % of all requests refused at random (429), with an invalid Retry-After',
    times: { short: 1, long: 20 },
    size: { short: 600, long: 2000 },
    limitMs: 90_000,
  },
  async ({ size }) => {
    let refused = 0;
    const { run, requests, arrived } = await gradeRuns((request, response) => {
      if (random() >= 0.14) return takeAll(request, response);
      refused += 1;
      const wait = ODD_WAITS[refused % ODD_WAITS.length] as string;
      response.writeHead(429, { 'retry-after': wait });
      response.end();
    });
    const result = await run(submitFile(file(members(size))));
    expect([result.exit, withoutProgress(result.stderr)]).toEqual([0, '']);
    expect(readLines(result).summary).toMatchObject({ rows: size, success: size });
    expect(requests).toHaveLength(size + refused);
    expect(new Set(arrived()).size).toBe(size);
  },
);

hostile(
  {
    tried: 'a clock that is set back two hours while rows wait for their Retry-After',
    times: { short: 1, long: 20 },
  },
  async () => {
    const folder = temporaryFolder();
    const setBack = join(folder, 'set-back');
    const clock = join(folder, 'clock.cjs');
    writeFileSync(
      clock,
      `const { existsSync } = require('node:fs');
       const now = Date.now;
       Date.now = () => now() - (existsSync(${JSON.stringify(setBack)}) ? 7_200_000 : 0);`,
    );
    const { run, requests, arrived } = await gradeRuns((request, response) => {
      if (requests.length > 1) return takeAll(request, response);
      response.writeHead(429, { 'retry-after': '2' });
      response.end();
      setTimeout(() => writeFileSync(setBack, ''), 500);
    });
    const env = { NODE_OPTIONS: `--require ${clock}` };
    const result = await run(submitFile(file(members(50))), { env });
    expect([result.exit, withoutProgress(result.stderr)]).toEqual([0, '']);
    expect(readLines(result).summary).toMatchObject({ rows: 50, success: 50 });
    expect(arrived()).toHaveLength(51);
    expect(existsSync(setBack)).toBe(true);
  },
);

/** Answers in an encoding that cannot be undone, and a refusal that is longer than is read of one. */
const UNREAD: readonly (readonly [status: number, coding: string, body: Buffer])[] = [
  [200, 'gzip', Buffer.from('no gzip')],
  [200, 'deflate', Buffer.from('no deflate')],
  [200, 'br', Buffer.from('no brotli')],
  [422, 'gzip', gzipSync(Buffer.alloc(1 << 20, 'no '))],
];

hostile(
  {
    tried: 'responses whose compression is broken or too large',
    times: { short: 1, long: 20 },
    size: { short: 100, long: 1000 },
  },
  async ({ size }) => {
    const { run, requests, arrived } = await gradeRuns((_, response) => {
      const [status, coding, body] = UNREAD[requests.length % UNREAD.length] as (typeof UNREAD)[0];
      response.writeHead(status, { 'content-encoding': coding });
      response.end(body);
    });
    const args = [...submitFile(file(members(size))), '--concurrency', '2'];
    const { exit, ...result } = await run(args);
    expect(exit).toBe(10);
    const refused = size / UNREAD.length;
    expect(readLines(result).summary).toMatchObject({ refused, in_doubt: size - refused });
    expect(new Set(arrived()).size).toBe(size);
  },
);

hostile(
  {
    tried: 'a run at a fast service, on one core',
    times: { short: 1, long: 50 },
    size: { short: 500, long: 2000 },
    cannotRun: () => (process.platform === 'linux' ? undefined : 'taskset is of Linux'),
  },
  async ({ repetition, size }) => {
    const { run, arrived } = await gradeRuns();
    const concurrency = [1, 4, 16, 64][repetition % 4];
    const submit = [...submitFile(file(members(size))), '--concurrency', String(concurrency)];
    const result = await run(submit, { wrapper: ['taskset', '-c', '0'] });
    expect([result.exit, withoutProgress(result.stderr)]).toEqual([0, '']);
    expect(readLines(result).summary).toMatchObject({ rows: size, success: size });
    expect(arrived()).toHaveLength(size);
  },
);

hostile(
  {
    tried: '200 grades over 60 connections with 40 file descriptors (ulimit -n)',
    times: { short: 1, long: 20 },
    limitMs: 20_000,
    cannotRun: () => (process.platform === 'win32' ? 'there is no ulimit' : undefined),
  },
  async () => {
    const { run, arrived } = await gradeRuns((request, response) => {
      setTimeout(() => takeAll(request, response), 20);
    });
    const wrapper = ['/bin/sh', '-c', 'ulimit -n 40; exec "$@"', 'sh'];
    const args = ['grade', 'submit', '--from', file(members(200)), '--concurrency', '60', '--yes'];
    const { exit, stderr } = await run(args, { wrapper });
    expect([exit, stderr.match(/few file descriptors/g)]).toEqual([0, ['few file descriptors']]);
    expect([arrived().length, new Set(arrived()).size]).toEqual([200, 200]);
  },
);
