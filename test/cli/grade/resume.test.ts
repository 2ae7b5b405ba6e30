import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { FastClock } from '../../support/clock.ts';
import { lectern } from '../../support/lectern.ts';
import { answerJson, INSTRUCTOR, launchFile, text } from '../../support/service.ts';
import { terminal } from '../../support/terminal.ts';
import { errorsOf } from './errors.ts';
import {
  attemptFor,
  bench,
  file,
  holding,
  members,
  readLines,
  submitFile,
  takeAll,
  takeAllBut,
} from './bulk.ts';

describe('grade resume', () => {
  test('shows its plan, and needs --yes without a terminal', async () => {
    const { run, arrived } = await bench();
    await run([...submitFile(file(members(3))), '--no-send']);
    const asked = await run(['grade', 'resume']);
    expect([asked.exit, arrived()]).toEqual([2, []]);
    expect(asked.stderr).toMatch(
      /^run\t1\nattempts\t3\nnot sent\t3\nscores\tall 0.5\n\n2\tm-2\t0.5\t[^]*\nsource\t/,
    );
    expect(asked.stderr).toContain('Submit 3 grades? Cannot prompt');
    const sent = await run(['grade', 'resume', '--yes', '--json']);
    expect([sent.exit, readLines(sent).summary]).toMatchObject([0, { run: 1, success: 3 }]);
    // Nothing is left to be asked about.
    expect((await run(['grade', 'resume'])).exit).toBe(0);
  });

  test('of a run with --url needs it no more, and later submissions are offered the URL of the run', async () => {
    const { origin, home, requests, arrived } = await bench();
    const url = `${origin}/contexts/c-1/members/{member}/scores?sig=secret`;
    const run = (...args: string[]) =>
      lectern(['grade', ...args], { home, env: { LECTERN_API_KEY: 'key-canary' } });
    await run('submit', '--from', file(members(2)), '--url', url, '--no-send');
    expect((await run('resume', '--yes', '--limit', '1')).exit).toBe(0);
    expect((await run('resume', '--yes', '--url', url)).exit).toBe(0);
    expect((await run('resume', '--yes', '--url', `${origin}/contexts/{member}/x`)).exit).toBe(2);
    const asked = await run('submit', '--member', 'm-9', '--score', '1');
    expect(asked.exit).toBe(4);
    expect(asked.stderr).toContain(`or use the URL of run 1, at ${origin}: --url run:1\n`);
    expect(asked.stderr).not.toContain('secret');
    const sent = await run('submit', '--member', 'm-9', '--score', '1', '--url', 'run:1');
    expect([sent.exit, arrived()]).toEqual([0, ['m-2', 'm-3', 'm-9']]);
    expect(requests.at(-1)?.target).toBe('/contexts/c-1/members/m-9/scores?sig=secret');
    expect((await run('submit', '--member', 'm-9', '--score', '1', '--url', 'run:7')).exit).toBe(2);
  });

  test('asks on a terminal', async () => {
    const { run, launch, home, arrived } = await bench();
    await run([...submitFile(file(members(3))), '--no-send']);
    const shown = terminal(['-l', launch, 'grade', 'resume'], { home });
    await shown.shows('Submit 3 grades?');
    shown.type('n\r');
    expect([await shown.exit, arrived()]).toEqual([130, []]);
  });

  test('sends one grade first, and no others if that is in doubt', async () => {
    let isDown = true;
    const { run, arrived } = await bench((request, response) =>
      (isDown ? text(500, 'down') : takeAll)(request, response),
    );
    await run([...submitFile(file(members(30))), '--no-send']);
    const down = await run(['grade', 'resume', '--yes', '--json', '--concurrency', '8']);
    expect([down.exit, arrived()]).toMatchObject([10, ['m-2']]);
    expect(errorsOf(down).message).toContain('the first grade got no usable response');
    isDown = false;
    const asked = await run(['grade', 'resume']);
    expect(asked.stderr).toMatch(
      /^run\t1\nattempts\t29\nnot sent\t29\nin doubt, not sent again\t1\n/,
    );
    const up = await run(['grade', 'resume', '--yes', '--json']);
    expect(readLines(up).summary).toMatchObject({ success: 29, in_doubt: 1, not_sent: 0 });
  });
});

test('grade resume with a launch of another service names both, and sends nothing', async () => {
  const planned = await bench();
  const other = await bench();
  const home = planned.home;
  await planned.run([...submitFile(file(members(2))), '--no-send']);
  const input = readFileSync(other.launch, 'utf8');
  await lectern(['launch', 'save', 'prof', '-'], { home, input });
  const used = await lectern(['-l', 'prof', 'grade', 'resume', '1', '--yes', '--json'], { home });
  expect([used.exit, errorsOf(used)]).toEqual([
    4,
    expect.objectContaining({
      code: 'credential.other_origin',
      message: `run 1 was planned for ${planned.origin}; launch prof is of ${other.origin}`,
      hint: `use a launch of ${planned.origin}: lectern grade resume 1 -l NAME`,
    }),
  ]);
  const key = ['key', 'save', 'regrade', '--origin', other.origin];
  await lectern(key, { home, input: 'ak_live_0123456789abcdef\n' });
  const keyed = await lectern(['-k', 'regrade', 'grade', 'resume', '--yes', '--json'], { home });
  expect([keyed.exit, errorsOf(keyed)]).toEqual([
    4,
    expect.objectContaining({
      message: `run 1 was planned for ${planned.origin}; key regrade is of ${other.origin}`,
      hint: `use a key of ${planned.origin}: lectern grade resume 1 -k NAME`,
    }),
  ]);
  expect([planned.arrived(), other.arrived()]).toEqual([[], []]);
});

test('grade report uses the newest run if none is named', async () => {
  const { run } = await bench();
  await run(submitFile(file('member,score\na,1\n')));
  await run(submitFile(file('member,score\nb,1\n')));
  const report = await run(['grade', 'report', '--json']);
  expect(JSON.parse(report.stdout)).toMatchObject([{ run: 2, member: 'b' }]);
});

test('a 404 means that the course has no such member, and the row is not suggested for a retry', async () => {
  const handler = takeAllBut({
    b: (_, response) => answerJson(response, 404, { message: 'not found' }),
    c: (_, response) => answerJson(response, 422, { message: 'no' }),
  });
  const { run } = await bench(handler);
  const one = await run(submitFile(file('member,score\na,1\nb,1\n')));
  expect(one.exit).toBe(9);
  expect(errorsOf(one).message).not.toContain('--retry-failed');
  expect(readLines(one).rows.find(({ member }) => member === 'b')?.error).toContain(
    'no such member in this course',
  );
  const single = await run(['grade', 'submit', '--score', '1', '--member', 'b', '--json']);
  expect([single.exit, errorsOf(single).message]).toEqual([
    6,
    'no such member in this course (the service answered 404: not found)',
  ]);
  const both = await run(submitFile(file('member,score\nb,1\nc,1\n')));
  expect(errorsOf(both).message).toContain('--retry-failed');
});

test('grade resume --retry-failed leaves out members who are not in the course', async () => {
  let isFirst = true;
  const { run, arrived } = await bench(
    takeAllBut({
      b: (_, response) => answerJson(response, 404, { message: 'not found' }),
      c: (request, response) => {
        if (!isFirst) return takeAll(request, response);
        isFirst = false;
        answerJson(response, 422, { message: 'no' });
      },
    }),
  );
  await run([...submitFile(file('member,score\na,1\nb,1\nc,1\n')), '--concurrency', '1']);
  const retry = ['grade', 'resume', '--retry-failed', '--yes'];
  const left = '1 grade not sent again: no such member in this course';
  const plan = await run([...retry, '--dry-run', '--json']);
  expect(JSON.parse(plan.stdout)).toMatchObject({ warning: left, rows: [{ member: 'c' }] });
  const shown = await run([...retry, '--dry-run']);
  expect(shown.stderr).toContain(`warning: ${left}`);
  const sent = await run([...retry, '--json']);
  expect([sent.exit, readLines(sent)]).toMatchObject([
    9,
    { rows: [{ member: 'c' }], summary: { success: 2, refused: 1 }, warning: left },
  ]);
  expect(arrived()).toEqual(['a', 'b', 'c', 'c']);
  // Nothing is left to be asked about.
  expect((await run(['grade', 'resume', '--retry-failed'])).exit).toBe(9);
  expect(arrived()).toHaveLength(4);
});

describe('a staff launch', () => {
  const STAFF = { user: { member: 'm-staff', groups: ['instructor'] } };

  test('grades the named member, never its own user by accident', async () => {
    const { origin, home, arrived } = await bench();
    const launch = launchFile(origin, STAFF);
    const submit = ['-l', launch, 'grade', 'submit', '--score', '1', '--json'];
    const refused = await lectern(submit, { home });
    expect([refused.exit, arrived(), errorsOf(refused).hint]).toEqual([
      2,
      [],
      expect.stringContaining('--member ID'),
    ]);
  });

  test('has its run resumed by another staff launch, but not by a student', async () => {
    const { origin, home, arrived } = await bench();
    const staff = launchFile(origin, INSTRUCTOR);
    const plan = ['-l', staff, ...submitFile(file(members(3))), '--no-send'];
    expect((await lectern(plan, { home })).exit).toBe(0);
    for (const last of ['--yes', '--dry-run']) {
      const resume = ['-l', launchFile(origin), 'grade', 'resume', '--json', last];
      const refused = await lectern(resume, { home });
      expect([refused.exit, errorsOf(refused)]).toMatchObject([
        5,
        {
          code: 'auth.not_this_member',
          message: expect.stringContaining(
            'submits grades of m-1 only, and run 1 has other members',
          ),
          hint: expect.stringContaining('--launch NAME'),
        },
      ]);
    }
    expect(arrived()).toEqual([]);
    const resume = ['-l', launchFile(origin, INSTRUCTOR), 'grade', 'resume', '--json', '--yes'];
    const sent = await lectern(resume, { home });
    expect([sent.exit, readLines(sent).summary]).toMatchObject([0, { success: 3 }]);
  });
});

test('grade log --status in_doubt lists attempts still in doubt, and with --all every earlier one', async () => {
  let calls = 0;
  const { run } = await bench((request, response) => {
    calls += 1;
    if (calls <= 2) answerJson(response, 500, { message: 'oops' });
    else answerJson(response, 200, attemptFor(request));
  });
  await run([...submitFile(file('member,score\na,1\nb,1\n')), '--concurrency', '1']);
  const log = async (...flags: string[]): Promise<string[]> => {
    const { stdout } = await run(['grade', 'log', '--status', 'in_doubt', '--json', ...flags]);
    const lines = stdout.split('\n').filter((line) => line !== '');
    return lines.map((line) => (JSON.parse(line) as { member: string }).member).toSorted();
  };
  expect(await log()).toEqual(['a', 'b']);
  await run(['grade', 'resume', '--retry-in-doubt', '--limit', '1', '--yes']);
  expect(await log()).toEqual(['b']);
  expect(await log('--all')).toEqual(['a', 'b']);
  const doctor = await run(['doctor']);
  expect(doctor.stdout + doctor.stderr).toContain('(1 in doubt)');
});

test('the progress line shows how long a response has been missing, and how long it waits', async () => {
  const service = holding();
  const { launch, home } = await bench(service.handler);
  const args = ['-l', launch, 'grade', 'submit', '--from', file(members(2)), '--yes'];
  let elapsedMs = 0;
  const clock = { ...systemClock, monotonic: () => elapsedMs };
  const shell = terminal(args, { home, clock });
  await service.waiting(2);
  elapsedMs = 25_000;
  await shell.shows('no answer for 25 s, 2 in flight, limit 60 s');
  service.release();
  expect(await shell.exit).toBe(0);
});

test('the progress line shows how long the service asks to wait', async () => {
  let isFirst = true;
  const clock = new FastClock();
  const { launch, home } = await bench((request, response) => {
    if (!isFirst) return takeAll(request, response);
    isFirst = false;
    response.writeHead(429, { 'retry-after': '20' });
    response.end('{}');
  });
  const args = ['-l', launch, 'grade', 'submit', '--from', file(members(3)), '--yes'];
  const { exit, stderr } = await lectern([...args, '--concurrency', '1'], { home, clock });
  expect([exit, stderr]).toEqual([0, expect.stringMatching(/the service asked to wait \d+ s/)]);
});
