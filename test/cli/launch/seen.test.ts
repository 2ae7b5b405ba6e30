import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startEmulator } from '../../support/emulator.ts';
import { answerJson, INSTRUCTOR, launchFor, startService } from '../../support/service.ts';
import { stepsAt } from '../../support/steps.ts';

const launchText = (...args: Parameters<typeof launchFor>) => JSON.stringify(launchFor(...args));

/** A service whose next status can be set, and a home with a launch for it, `x`. */
async function savedLaunch() {
  const answer = { status: 200 };
  const service = await startService((_, response) => answerJson(response, answer.status, {}));
  const { origin } = service;
  const input = launchText(origin);
  const { home, step } = stepsAt();
  await step('launch save x', { input });
  return {
    home,
    input,
    origin,
    step,
    /** Reads a row, which is answered with a status. */
    call: (status: number, expected: Parameters<typeof step>[1] = {}, flags = '') => {
      answer.status = status;
      return step(`storage get member ${flags}`, expected);
    },
    /** Checks what is known of the launch. */
    has: (json: object) => step('launch show --json', { json }),
  };
}

const ENDED = { exit: 4 };
const UNSEEN = { state: 'unseen', last_success: null, ended: null };

describe('a saved launch', () => {
  test('remembers that its token ended, and the error is printed once', async () => {
    const { step, call, has } = await savedLaunch();
    await call(200);
    const stderr =
      /^lectern: the service answered 401[^\n]*\n {2}get a token from a new launch: lectern /;
    const first = await call(401, { ...ENDED, stderr });
    await has({ state: 'ended', ended: /./, last_success: /./ });
    expect((await call(401, ENDED)).stderr).toBe(first.stderr);
    const both = await step('storage diff member context', ENDED);
    expect(both.stderr.split('401')).toHaveLength(2);
    await call(401, { ...ENDED, error: { status: 401, exit: 4 } }, '--json');
    await call(401, { ...ENDED, stderr: /^lectern: / }, '--quiet');
  });

  test('that may not read a row is read with a staff launch of its course at its service', async () => {
    const { step, call, origin } = await savedLaunch();
    await step('launch save elsewhere', { input: launchText('http://127.0.0.1:1', INSTRUCTOR) });
    const staff = /with their own token: lectern storage get "\$\(.*\)" -l (\w+)/;
    const otherwise = await call(403, { exit: 5, stderr: staff });
    expect(staff.exec(otherwise.stderr)?.[1]).toBe('NAME');
    await step('launch save teacher', { input: launchText(origin, INSTRUCTOR) });
    expect(staff.exec((await call(403, { exit: 5 })).stderr)?.[1]).toBe('teacher');
    const written = { exit: 5, stderr: 'ones; use a staff launch', lacks: 'read it' };
    await step('storage patch context --add /a:=1 --no-check', written);
  });

  test('forgets that its token ended after a successful call or when it is saved again', async () => {
    const { step, input, call, has } = await savedLaunch();
    await call(401, ENDED);
    await call(200);
    await call(403, { exit: 5 });
    await has({ state: 'live', ended: null });
    await call(401, ENDED);
    await step('launch save x --force', { input });
    await has(UNSEEN);
  });

  test('unused for longer than its lifetime is reported as most likely ended', async () => {
    const { home, input, step } = await savedLaunch();
    const hoursAgo = (hours: number): string =>
      new Date(Date.now() - hours * 3_600_000).toISOString();
    const save = (name: string, saved: string, claims: object): void =>
      writeFileSync(
        join(home, 'launches', `${name}.json`),
        JSON.stringify({ name, claims, origin: 'https://service.example', saved }),
      );
    const request = { api: { token: 't' }, provision: { context: 'https://service.example/p' } };
    save('day', hoursAgo(13), JSON.parse(input) as object);
    save('morning', hoursAgo(11), JSON.parse(input) as object);
    save('setup', hoursAgo(2), request);
    save('late-setup', hoursAgo(4), request);
    await step('launch list --json', {
      json: [
        { name: 'day', state: 'stale' },
        { name: 'late-setup', state: 'stale' },
        { name: 'morning', state: 'unseen' },
        { name: 'setup', state: 'unseen' },
        { name: 'x', state: 'unseen' },
      ],
    });
  });

  test('is usable even if its state cannot be stored', async () => {
    const { home, call } = await savedLaunch();
    writeFileSync(join(home, 'seen'), 'in the way');
    await call(200, { stderr: '' });
  });
});

describe('a saved launch of an emulator', () => {
  async function emulatorLaunch() {
    const emulator = await startEmulator();
    const { step } = stepsAt();
    const claims = await emulator.launch({ role: 'instructor' });
    await step('launch save mine', { input: JSON.stringify(claims) });
    const { user, location } = claims as { user: { member: string }; location: { id: string } };
    const relaunch = `lectern emulator launch --member ${user.member} --location ${location.id} --save mine --force`;
    return { emulator, claims, step, relaunch };
  }

  test.each(['storage get member', 'launch check', 'grade submit --member member-amina --score 1'])(
    'that has ended gets a hint with the command that replaces it: %s',
    async (line) => {
      const { emulator, step, relaunch } = await emulatorLaunch();
      await emulator.control('POST clock', { advance_seconds: 13 * 3600 });
      const { stderr } = await step(line, { exit: 4 });
      expect(stderr.split('\n').at(-2)).toBe(`  get a token from a new launch: ${relaunch}`);
    },
  );

  test.each(['storage get member', 'launch check --quiet', 'files ls member', 'provision context'])(
    'whose emulator has stopped gets a hint with its address and the command that starts it: %s',
    async (line) => {
      const { claims, step, relaunch } = await emulatorLaunch();
      const input = JSON.stringify(claims).replaceAll(claims.iss as string, 'http://127.0.0.1:9');
      await step('launch save mine --force', { input });
      expect((await step(line, { exit: 8 })).stderr).toBe(
        'lectern: cannot connect to http://127.0.0.1:9 (launch mine): connection refused. Nothing was sent.\n' +
          `  is it an emulator? start it: lectern emulator start --port 9; then launch again: ${relaunch}\n`,
      );
    },
  );
});
