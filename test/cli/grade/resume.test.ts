import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FastClock } from '../../support/clock.ts';
import { INSTRUCTOR, json, launchFile, text } from '../../support/service.ts';
import { errorsOf, jsonOf } from '../../support/steps.ts';
import { bench, first, members, takeAll, takeAllBut } from './bulk.ts';

const SUBMIT = 'grade submit --yes --json --from -';

describe('grade resume', () => {
  test('shows its plan, and needs --yes without a terminal', async () => {
    const { step } = await bench();
    await step(`${SUBMIT} --no-send`, { input: members(3) });
    await step('grade resume', {
      exit: 2,
      stderr: [
        /^run\t1\nattempts\t3\nnot sent\t3\nscores\tall 0.5\n\n2\tm-2\t0.5\t[^]*\nsource\t/,
        'Submit 3 grades? Cannot prompt',
      ],
      sent: 0,
    });
    await step('grade resume --yes --json', { summary: { run: 1, success: 3 } });
    // Nothing is left to be asked about.
    await step('grade resume');
  });

  test('of a run with --url needs it no more, and later submissions are offered the URL of the run', async () => {
    const { origin, requests, step } = await bench();
    const url = `${origin}/contexts/c-1/members/{member}/scores?sig=secret`;
    const env = { LECTERN_API_KEY: 'key-canary', LECTERN_LAUNCH: undefined };
    await step(`grade submit --from - --url ${url} --no-send`, { env, input: members(2) });
    await step('grade resume --yes --limit 1', { env, sent: ['m-2'] });
    await step(`grade resume --yes --url ${url}`, { env, sent: ['m-3'] });
    const other = `grade resume --yes --url ${origin}/contexts/{member}/x`;
    await step(other, { env, exit: 2 });
    const submit = 'grade submit --member m-9 --score 1';
    await step(submit, {
      env,
      exit: 4,
      stderr: `or use the URL of run 1, at ${origin}: --url run:1\n`,
      lacks: 'secret',
    });
    await step(`${submit} --url run:1`, { env, sent: ['m-9'] });
    expect(requests.at(-1)?.target).toBe('/contexts/c-1/members/m-9/scores?sig=secret');
    await step(`${submit} --url run:7`, { env, exit: 2 });
  });

  test('sends one grade first, and no others if that is in doubt', async () => {
    const work = await bench(text(500, 'down'));
    await work.step(`${SUBMIT} --no-send`, { input: members(30) });
    await work.step('grade resume --yes --json --concurrency 8', {
      exit: 10,
      error: { message: /the first grade got no usable response/ },
      sent: ['m-2'],
    });
    work.answer = takeAll;
    await work.step('grade resume', {
      exit: 2,
      stderr: /^run\t1\nattempts\t29\nnot sent\t29\nin doubt, not sent again\t1\n/,
    });
    const summary = { success: 29, in_doubt: 1, not_sent: 0 };
    await work.step('grade resume --yes --json', { exit: 10, summary });
  });
});

test('grade resume with a launch of another service names both, and sends nothing', async () => {
  const [{ step, origin }, other] = [await bench(), await bench()];
  await step(`${SUBMIT} --no-send`, { input: members(2) });
  const env = { LECTERN_LAUNCH: undefined };
  await step('launch save prof -', { env, input: readFileSync(other.launch) });
  await step('-l prof grade resume 1 --yes --json', {
    env,
    exit: 4,
    error: {
      code: 'credential.other_origin',
      message: `run 1 was planned for ${origin}; launch prof is of ${other.origin}`,
      hint: `use a launch of ${origin}: lectern grade resume 1 -l NAME`,
    },
  });
  const key = `key save regrade --origin ${other.origin}`;
  await step(key, { input: 'ak_live_0123456789abcdef\n' });
  await step('-k regrade grade resume --yes --json', {
    env,
    exit: 4,
    error: {
      message: `run 1 was planned for ${origin}; key regrade is of ${other.origin}`,
      hint: `use a key of ${origin}: lectern grade resume 1 -k NAME`,
    },
    sent: 0,
  });
  expect(other.arrived()).toEqual([]);
});

test('a run with the key in use is resumed with this key, also without the launch it was planned with', async () => {
  const { origin, launch, requests, step } = await bench();
  const env = { LECTERN_LAUNCH: undefined };
  for (const name of ['regrade', 'later']) {
    const input = `ak_live_${name}_0123456789\n`;
    await step(`key save ${name} --origin ${origin}`, { env, input });
  }
  await step('launch save prof -', { env, input: readFileSync(launch) });
  await step('key use regrade', { env });
  await step(`${SUBMIT} --no-send`, { env, input: members(4) });
  await step('key use later', { env });
  await step('grade resume --yes --limit 1', { env, sent: ['m-2'] });
  await step('launch rm prof', { env });
  await step('grade resume --yes --limit 1', { env, sent: ['m-3'] });
  await step('grade resume --yes --limit 1 -k later', { env, sent: ['m-4'] });
  await step('key rm regrade', { env });
  await step('grade resume --yes', { env, sent: ['m-5'] });
  const keys = requests.map(({ headers }) => headers.authorization?.split('_')[2]);
  expect(keys).toEqual(['regrade', 'regrade', 'later', 'later']);
});

test('a 404 means that the course has no such member, and the row is not suggested for a retry', async () => {
  const { step } = await bench(
    takeAllBut({ b: json(404, { message: 'not found' }), c: json(422, { message: 'no' }) }),
  );
  const rows = [{}, { member: 'b', error: /no such member in this course/ }];
  const one = await step(SUBMIT, { input: 'member,score\na,1\nb,1\n', exit: 9, rows });
  expect(errorsOf(one).message).not.toContain('--retry-failed');
  await step('grade submit --score 1 --member b --json', {
    exit: 6,
    error: { message: 'no such member in this course (the service answered 404: not found)' },
  });
  const error = { message: /--retry-failed/ };
  await step(SUBMIT, { input: 'member,score\nb,1\nc,1\n', exit: 9, error });
});

describe('a staff launch', () => {
  test('grades the named member, never its own user by accident', async () => {
    const { step } = await bench(takeAll, { user: { member: 'm', groups: ['instructor'] } });
    const error = { hint: /--member ID/ };
    await step('grade submit --score 1 --json', { exit: 2, error, sent: 0 });
  });

  test('has its run resumed by another staff launch, but not by a student', async () => {
    const { origin, step } = await bench(takeAll, INSTRUCTOR);
    await step(`${SUBMIT} --no-send`, { input: members(3) });
    const student = launchFile(origin);
    for (const last of ['--yes', '--dry-run']) {
      await step(`-l ${student} grade resume --json ${last}`, {
        exit: 5,
        error: {
          code: 'auth.not_this_member',
          message: /submits grades of m-1 only, and run 1 has other members/,
          hint: /--launch NAME/,
        },
        sent: 0,
      });
    }
    const other = launchFile(origin, INSTRUCTOR);
    await step(`-l ${other} grade resume --json --yes`, { summary: { success: 3 } });
  });
});

test('grade log --status in_doubt lists attempts still in doubt, and with --all every earlier one', async () => {
  const { step } = await bench(first(2, json(500, { message: 'oops' })));
  await step(`${SUBMIT} --concurrency 1`, { input: 'member,score\na,1\nb,1\n', exit: 10 });
  const log = async (flags = ''): Promise<string[]> => {
    const lines = [jsonOf(await step(`grade log --status in_doubt --json ${flags}`))].flat();
    return lines.map(({ member }: { member: string }) => member).toSorted();
  };
  expect(await log()).toEqual(['a', 'b']);
  await step('grade resume --retry-in-doubt --limit 1 --yes', { exit: 10 });
  expect(await log()).toEqual(['b']);
  expect(await log('--all')).toEqual(['a', 'b']);
  await step('doctor', { stdout: '(1 in doubt)' });
});

test('the progress line shows how long the service asks to wait', async () => {
  const { step } = await bench(first(1, text(429, '{}', { 'retry-after': '20' })));
  await step('grade submit --from - --yes --concurrency 1', {
    input: members(3),
    clock: new FastClock(),
    stderr: /the service asked to wait \d+ s/,
  });
});

test('grade resume --from does not need the list of members that the run was planned with', async () => {
  const { step, folder } = await bench();
  const files = {
    'grades.csv': 'member,score\nlena,0.5\n',
    'members.csv': 'id,member\nlena,m-1\n',
  };
  await step('grade submit --from grades.csv --members members.csv --no-send', { files });
  rmSync(join(folder, 'members.csv'));
  const stderr = 'warning: grades.csv is not compared with the file that run 1 was created from: ';
  await step('grade resume 1 --from grades.csv --yes', { stderr, sent: ['m-1'] });
});
