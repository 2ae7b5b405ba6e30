import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
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

describe('what is seen of a saved launch', () => {
  test('a successful call is remembered', async () => {
    const { call, state } = await savedLaunch();
    expect(await state()).toMatchObject({ state: 'unseen', last_success: null });
    await call(200);
    expect(await state()).toMatchObject({ state: 'live', ended: null });
    expect((await state()).last_success).toMatch(/^\d{4}-.*Z$/);
  });

  test('an ended token is remembered, and told before the next call', async () => {
    const { home, call, state } = await savedLaunch();
    await call(200);
    expect((await call(401)).stderr).not.toContain('most likely ended');
    const { last_success: success } = await state();
    expect(await state()).toMatchObject({ state: 'ended', ended: expect.any(String) });
    expect(success).not.toBeNull();
    const again = await call(401);
    expect(again.stderr).toMatch(/^the token of launch x was rejected with 401 on \d{4}-/);
    const both = await lectern(['storage', 'diff', 'member', 'context'], { home });
    expect(both.stderr.split('most likely ended')).toHaveLength(2);
    const inJson = await call(401, ['--json']);
    expect(JSON.parse(inJson.stderr)).toMatchObject({ error: { status: 401, exit: 4 } });
    expect((await call(401, ['--quiet'])).stderr).toMatch(/^lectern: /);
  });

  test('a token that is accepted again has not ended; nor has that of a launch saved anew', async () => {
    const { home, input, call, state } = await savedLaunch();
    await call(401);
    await call(200);
    expect(await state()).toMatchObject({ state: 'live', ended: null });
    await call(401);
    await lectern(['launch', 'save', 'x', '--force'], { home, input });
    expect(await state()).toMatchObject({ state: 'unseen', last_success: null, ended: null });
  });

  test.each([403, 404, 422, 500])('%d says nothing of the token', async (status) => {
    const { call, state } = await savedLaunch();
    await call(status);
    expect(await state()).toMatchObject({ state: 'unseen' });
  });

  test('another token, or a launch in a file, is not taken for the saved one', async () => {
    const { home, input, state } = await savedLaunch();
    const file = join(home, 'launch.json');
    writeFileSync(file, input);
    await lectern(['storage', 'get', 'member'], { home, env: { LECTERN_TOKEN: 'other' } });
    await lectern(['storage', 'get', 'member', '-l', file], { home });
    expect(await state()).toMatchObject({ state: 'unseen' });
    expect(readdirSync(home)).not.toContain('seen');
  });

  test('a launch that was quiet for longer than its token lives has most likely ended', async () => {
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

  test('what cannot be remembered does no harm', async () => {
    const { home, call } = await savedLaunch();
    writeFileSync(join(home, 'seen'), 'in the way');
    expect(await call(200)).toMatchObject({ exit: 0, stderr: '' });
  });
});
