import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { file, members, readLines, submitFile, takeAll } from '../cli/grade/bulk.ts';
import { openLedger, type RecordState } from '../../src/ledger/index.ts';
import { listOf } from '../ledger/support.ts';
import { type Running, temporaryFolder } from '../support/lectern.ts';
import { FAULTS, faultyGrades } from './faulty-grades.ts';
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
    found: '485 rows in 5 minutes, then the run stopped: refusals at random were taken for a limit',
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
    found: 'the rows waited for the two hours: waits went by the time of day',
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
    found: 'each kept its connection: after as many as go at once the run stood still, and stopped',
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

/** The rows of the first run in a home's ledger, by member. */
async function keptIn(home: string): Promise<Map<string, RecordState>> {
  const ledger = await openLedger({ file: join(home, 'ledger.sqlite'), now: Date.now });
  const rows = await listOf(ledger.rows(1));
  await ledger.close();
  return new Map(rows.map((row) => [row.member, row]));
}

hostile(
  {
    tried:
      '1 % of every fault: 429, 503, 500, closed before and after, cut, garbage, slow, 422, 403, refused by the LMS',
    size: { short: 1200, long: 20_000 },
    limitMs: 300_000,
    found: 'a few 503s or 429s at random slowed the run down to some rows a second',
  },
  async ({ size }) => {
    const service = faultyGrades(0.01);
    const { run, home } = await gradeRuns(service.handler);
    const options = ['--concurrency', '16', '--timeout', '5'];
    const result = await run([...submitFile(file(members(size))), ...options]);
    expect(result.exit).toBe(10);
    const { rows, summary } = readLines(result);
    expect(rows).toHaveLength(size);
    expect(new Set(service.faultOf.values()).size).toBe(Object.keys(FAULTS).length);

    // Ledger, lines and service agree, row by row.
    const kept = await keptIn(home);
    const counts: Record<string, number> = {};
    for (const { member, outcome, status, attempt } of rows) {
      const name = service.faultOf.get(member);
      const endsAs = name === undefined ? 'success' : FAULTS[name]?.endsAs;
      const reported = status ?? outcome;
      const { posts, effects } = service.served.get(member) ?? {};
      expect([member, name, reported, kept.get(member)?.state]).toEqual([
        member,
        name,
        endsAs,
        endsAs,
      ]);
      // Once, except for requests that were surely not processed.
      expect([member, posts]).toEqual([member, name === '429' ? 2 : 1]);
      const isEffective = name === undefined || name === '429' || FAULTS[name]?.takesEffect;
      expect([member, effects]).toEqual([member, isEffective ? 1 : 0]);
      const keptOutcome = kept.get(member)?.outcome;
      if (keptOutcome?.kind === 'recorded') {
        expect(JSON.parse(keptOutcome.attempt)).toEqual(attempt);
        expect(attempt).toMatchObject({ id: `attempt-of-${member}` });
      }
      counts[reported] = (counts[reported] ?? 0) + 1;
    }
    const { success, failed, refused, in_doubt, not_sent } = summary;
    expect([success, failed, refused, in_doubt, not_sent]).toEqual([
      counts.success,
      counts.failed,
      counts.refused,
      counts['in_doubt'],
      0,
    ]);

    // Only the requested rows are sent again, once.
    service.heal();
    const again = ['grade', 'resume', '1', '--retry-failed', '--retry-in-doubt', '--json', '--yes'];
    const resumed = await run(again);
    expect([resumed.exit, readLines(resumed).summary.success]).toEqual([0, size]);
    const wanted = rows.filter(({ status }) => status !== 'success').map(({ member }) => member);
    expect([...service.served.keys()].sort()).toEqual(wanted.sort());
    expect([...service.served.values()].every(({ posts }) => posts === 1)).toBe(true);
  },
);

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

hostile(
  {
    tried: 'a run at a fast service, interrupted at a random moment, and its resume',
    times: { short: 2, long: 100 },
    size: { short: 500, long: 1500 },
  },
  async ({ repetition, size }) => {
    const at = Math.ceil(random() * size);
    let running: Running | undefined;
    const { run, requests, arrived } = await gradeRuns((request, response) => {
      if (requests.length === at)
        running?.kill(SIGNALS[repetition % SIGNALS.length] as NodeJS.Signals);
      takeAll(request, response);
    });
    const concurrency = [1, 4, 16, 64][repetition % 4];
    const submit = [...submitFile(file(members(size))), '--concurrency', String(concurrency)];
    const result = await run(submit, { started: (started) => (running = started) });
    expect([0, 130]).toContain(result.exit);
    const { rows, summary } = readLines(result);
    expect(rows).toHaveLength(size);
    expect(summary).toMatchObject({ rows: size, recorded: requests.length, in_doubt: 0 });
    const resumed = await run(['grade', 'resume', '1', '--json', '--yes']);
    expect([resumed.exit, readLines(resumed).summary.success]).toEqual([0, size]);
    expect(arrived()).toHaveLength(size);
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
    found: 'every connection paused for each one that could not be opened: it took 45 s',
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
