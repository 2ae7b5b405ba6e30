import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { bench, file, members, readLines, submitFile, takeAll } from '../cli/grade/bulk.ts';
import { temporaryFolder } from '../support/lectern.ts';
import { hostile } from './support.ts';

/** What services send for a time that nobody can wait until. */
const ODD_WAITS = ['0', '-1', 'abc', 'NaN', 'Thu, 01 Jan 1970 00:00:00 GMT', ''];

hostile(
  {
    area: 'Bulk',
    tried: '14 % of all requests refused at random (429), with a Retry-After that is no time',
    times: { short: 1, long: 20 },
    size: { short: 2000, long: 2000 },
    limitMs: 90_000,
    found: '485 rows in 5 minutes, then the run stopped: refusals at random were taken for a limit',
  },
  async ({ size }) => {
    let refused = 0;
    const { run, requests, arrived } = await bench((request, response) => {
      if (Math.random() >= 0.14) return takeAll(request, response);
      refused += 1;
      const wait = ODD_WAITS[refused % ODD_WAITS.length] as string;
      response.writeHead(429, { 'retry-after': wait });
      response.end();
    });
    const result = await run(submitFile(file(members(size))));
    expect([result.exit, result.stderr]).toEqual([0, '']);
    expect(readLines(result).summary).toMatchObject({ rows: size, success: size });
    expect(requests).toHaveLength(size + refused);
    expect(new Set(arrived()).size).toBe(size);
  },
);

hostile(
  {
    area: 'Bulk',
    tried: 'a clock that is set back two hours while rows wait for their Retry-After',
    times: { short: 1, long: 20 },
    limitMs: 30_000,
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
    const { run, requests, arrived } = await bench((request, response) => {
      if (requests.length > 1) return takeAll(request, response);
      response.writeHead(429, { 'retry-after': '2' });
      response.end();
      setTimeout(() => writeFileSync(setBack, ''), 500);
    });
    const env = { NODE_OPTIONS: `--require ${clock}` };
    const result = await run(submitFile(file(members(50))), { env });
    expect([result.exit, result.stderr]).toEqual([0, '']);
    expect(readLines(result).summary).toMatchObject({ rows: 50, success: 50 });
    expect(arrived()).toHaveLength(51);
    expect(existsSync(setBack)).toBe(true);
  },
);
