import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startEmulator } from '../../support/emulator.ts';
import { lectern, temporaryFolder } from '../../support/lectern.ts';
import { answerJson, launchFor, startService } from '../../support/service.ts';

/** A service whose next status can be set, and a home with a launch for it, `x`. */
async function savedLaunch(more: Record<string, unknown> = {}) {
  const answer = { status: 200 };
  const service = await startService((_, response) => answerJson(response, answer.status, {}));
  const home = temporaryFolder();
  const claims = launchFor(service.origin, more);
  const input = JSON.stringify(claims);
  await lectern(['launch', 'save', 'x'], { home, input });
  return {
    home,
    input,
    service,
    call: async (status: number, args: readonly string[] = []) => {
      answer.status = status;
      return lectern(['storage', 'get', 'member', ...args], { home });
    },
    state: async (): Promise<Record<string, unknown>> => {
      const { stdout } = await lectern(['launch', 'show', '--json'], { home });
      return JSON.parse(stdout) as Record<string, unknown>;
    },
  };
}

describe('a saved launch', () => {
  test('remembers a successful call', async () => {
    const { call, state } = await savedLaunch();
    expect(await state()).toMatchObject({ state: 'unseen', last_success: null });
    await call(200);
    expect(await state()).toMatchObject({ state: 'live', ended: null });
    expect((await state()).last_success).toMatch(/^\d{4}-.*Z$/);
  });

  test('remembers that its token ended, and the error is printed once', async () => {
    const { home, call, state } = await savedLaunch();
    await call(200);
    const first = await call(401);
    expect(first.stderr).toMatch(
      /^lectern: the service answered 401[^\n]*\n {2}get a token from a new launch: lectern /,
    );
    const { last_success: success } = await state();
    expect(await state()).toMatchObject({ state: 'ended', ended: expect.any(String) });
    expect(success).not.toBeNull();
    expect((await call(401)).stderr).toBe(first.stderr);
    const both = await lectern(['storage', 'diff', 'member', 'context'], { home });
    expect(both.stderr.split('401')).toHaveLength(2);
    const inJson = await call(401, ['--json']);
    expect(JSON.parse(inJson.stderr)).toMatchObject({ error: { status: 401, exit: 4 } });
    expect((await call(401, ['--quiet'])).stderr).toMatch(/^lectern: /);
  });

  test('forgets that its token ended after a successful call or when it is saved again', async () => {
    const { home, input, call, state } = await savedLaunch();
    await call(401);
    await call(200);
    expect(await state()).toMatchObject({ state: 'live', ended: null });
    await call(401);
    await lectern(['launch', 'save', 'x', '--force'], { home, input });
    expect(await state()).toMatchObject({ state: 'unseen', last_success: null, ended: null });
  });

  test.each([403, 404, 422, 500])('does not change its state after a %d', async (status) => {
    const { call, state } = await savedLaunch();
    await call(status);
    expect(await state()).toMatchObject({ state: 'unseen' });
  });

  test('is not changed by another token or by a launch in a file', async () => {
    const { home, input, state } = await savedLaunch();
    const file = join(home, 'launch.json');
    writeFileSync(file, input);
    await lectern(['storage', 'get', 'member'], { home, env: { LECTERN_TOKEN: 'other' } });
    await lectern(['storage', 'get', 'member', '-l', file], { home });
    expect(await state()).toMatchObject({ state: 'unseen' });
    expect(readdirSync(home)).not.toContain('seen');
  });

  test('unused for longer than its lifetime is reported as most likely ended', async () => {
    const { home, input } = await savedLaunch();
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
    const { stdout } = await lectern(['launch', 'list', '--json'], { home });
    const states = (JSON.parse(stdout) as { name: string; state: string }[]).map(
      ({ name, state }) => [name, state],
    );
    expect(Object.fromEntries(states)).toEqual({
      day: 'stale',
      morning: 'unseen',
      setup: 'unseen',
      'late-setup': 'stale',
      x: 'unseen',
    });
  });

  test('is usable even if its state cannot be stored', async () => {
    const { home, call } = await savedLaunch();
    writeFileSync(join(home, 'seen'), 'in the way');
    expect(await call(200)).toMatchObject({ exit: 0, stderr: '' });
  });
});

describe('a saved launch of an emulator', () => {
  async function emulatorLaunch() {
    const emulator = await startEmulator();
    const home = temporaryFolder();
    const claims = await emulator.launch({ role: 'instructor' });
    await lectern(['launch', 'save', 'mine'], { home, input: JSON.stringify(claims) });
    const { user, location } = claims as { user: { member: string }; location: { id: string } };
    const relaunch = `lectern emulator launch --member ${user.member} --location ${location.id} --save mine --force`;
    return { emulator, claims, home, relaunch };
  }

  test.each([
    [['storage', 'get', 'member']],
    [['launch', 'check']],
    [['grade', 'submit', '--member', 'member-amina', '--score', '1']],
  ])('that has ended gets a hint with the command that replaces it: %j', async (args) => {
    const { emulator, home, relaunch } = await emulatorLaunch();
    await emulator.control('POST clock', { advance_seconds: 13 * 3600 });
    const { exit, stderr } = await lectern(args, { home });
    expect(exit).toBe(4);
    expect(stderr.split('\n').at(-2)).toBe(`  get a token from a new launch: ${relaunch}`);
  });

  test.each([
    [['storage', 'get', 'member']],
    [['launch', 'check', '--quiet']],
    [['files', 'ls', 'member']],
    [['provision', 'context']],
  ])(
    'whose emulator has stopped gets a hint with its address and the command that starts it: %j',
    async (args) => {
      const { claims, home, relaunch } = await emulatorLaunch();
      const text = JSON.stringify(claims).replaceAll(claims.iss as string, 'http://127.0.0.1:9');
      await lectern(['launch', 'save', 'mine', '--force'], { home, input: text });
      const { exit, stderr } = await lectern(args, { home });
      expect([exit, stderr]).toEqual([
        8,
        'lectern: cannot connect to http://127.0.0.1:9 (launch mine): connection refused. Nothing was sent.\n' +
          `  is it an emulator? start it: lectern emulator start --port 9; then launch again: ${relaunch}\n`,
      ]);
    },
  );
});
