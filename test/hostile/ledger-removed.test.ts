import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { attemptFor, bench, file, members, submitFile } from '../cli/grade/bulk.ts';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { answerJson, launchFile, startService } from '../support/service.ts';
import { hostileCases } from './support.ts';
import { seededRandom } from '../support/seeded.ts';

const hostile = hostileCases('Disk');

const random = seededRandom();

hostile(
  {
    tried: 'a run of grades, and in the middle of it the log of its ledger is removed',
    times: { short: 1, long: 40 },
    size: { short: 300, long: 2000 },
  },
  async ({ repetition, size }) => {
    const at = repetition < 2 ? 20 : Math.ceil(random() * size);
    const { run, home, requests, arrived } = await bench((request, response) => {
      if (requests.length === at) rmSync(join(home, 'ledger.sqlite-wal'));
      answerJson(response, 200, attemptFor(request));
    });
    const { exit, stdout, stderr } = await run(submitFile(file(members(size))));
    expect([exit, stderr]).toEqual([1, expect.stringContaining('moved, removed or replaced')]);
    // At most the requests under way are sent before the next commit fails.
    expect(requests.length).toBeLessThanOrEqual(at + 16);
    const ids = `${stdout}${stderr}`.matchAll(/"id":"attempt-of-([^"]+)"/g);
    const printed = new Set([...ids].map(([, member]) => member));
    expect(arrived().filter((member) => !printed.has(member))).toEqual([]);
  },
);

hostile({ tried: 'one grade, whose home is removed before the response' }, async () => {
  const { run, home, requests } = await bench((request, response) => {
    rmSync(home, { recursive: true });
    answerJson(response, 200, attemptFor(request));
  });
  const result = await run(['grade', 'submit', '--score', '0.5']);
  expect([result.exit, result.stdout, requests.length]).toEqual([1, '', 1]);
  expect(result.stderr).toContain('moved, removed or replaced');
  expect(result.stderr).toContain('this is the only record of the attempt');
  expect(result.stderr).toContain('attempt-of-m-1');
});

hostile(
  { tried: 'a put of a row, whose ledger is removed before the before-image is stored' },
  async () => {
    const home = temporaryFolder();
    const service = await startService((_, response) => {
      rmSync(join(home, 'ledger.sqlite'), { force: true });
      response.end('{"a":1}');
    });
    const args = ['storage', 'put', 'member', '-', '--yes', '-l', launchFile(service.origin)];
    const result = await lectern(args, { home, input: '{"b":2}' });
    expect(result.exit).toBe(1);
    expect(result.stderr).toContain('nothing was sent');
    expect(service.requests.map(({ method }) => method)).toEqual(['GET']);
  },
);
