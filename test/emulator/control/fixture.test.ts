import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Served } from '../../../src/emulator/index.ts';
import { serveSeeded } from '../../support/emulator.ts';
import type { Fixture, Hook, Named, Spare } from '../documents.ts';
import { launchOf, START, type Launch } from '../subject.ts';
import { send, type Answer } from '../wire.ts';

/** The names that conformance clients rely on. */
const KEYS = [
  'base_url',
  'fresh',
  'staff',
  'student1',
  'student2',
  'api_key',
  'no_lineitem',
  'unprovisioned',
  'non_assessment',
  'account',
  'other_course',
  'other_tool',
  'other_api_key',
  'lms_refuses',
  'score_scope_only',
  'ended',
  'suspended',
  'suspended_api_key',
  'provision_request',
  'never_opened_member',
  'non_assessment_grade_url',
  'not_placed_grade_url',
  'spare',
  'hooks',
];
const ROWS = ['context', 'location', 'member', 'member_location'] as const;

let served: Served;

async function fixtureOf({ url }: Served): Promise<Fixture> {
  const answer = await send('POST', `${url}/_emulator/fixture`, { token: 'control', json: {} });
  return answer.json<Fixture>();
}

/** The launches of a fixture by their names. */
const launchesOf =
  (made: Fixture) =>
  (name: Named | Spare): Launch =>
    launchOf({ ...made, ...made.spare }[name]);

/** Calls a hook as a client does that knows nothing but the fixture. */
function pull(hook: Hook, values: Record<string, unknown> = {}): Promise<Answer> {
  const body = JSON.stringify(hook.body, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith('$') ? values[value] : value,
  );
  return send(hook.method, hook.url, { headers: hook.headers, body });
}

const message = (answer: Answer): [number, string] => [answer.status, answer.json().error.message];
const alive = async (launch: Launch): Promise<number> =>
  (await launch.get(launch.row('member'))).status;

const serve = () => serveSeeded({ controlToken: 'control', pid: 1, now: () => START });

beforeAll(async () => {
  served = await serve();
});
afterAll(() => served.close());

describe('the fixture', () => {
  let made: Fixture;
  let by: (name: Named | Spare) => Launch;
  beforeAll(async () => {
    made = await fixtureOf(served);
    by = launchesOf(made);
  });

  test('has exactly the documented fields', () => {
    expect(Object.keys(made)).toEqual(KEYS);
    expect(Object.keys(made.spare)).toEqual(['idle', 'leaver', 'suspendee']);
    expect(made.base_url).toBe(served.url);
    for (const hook of Object.values(made.hooks)) {
      expect(Object.keys(hook)).toEqual(['method', 'url', 'headers', 'body']);
    }
  });

  test('has a fresh launch whose rows and files are empty', async () => {
    const fresh = by('fresh');
    for (const row of ROWS) {
      expect((await fresh.get(fresh.row(row))).text).toBe('{}');
      expect((await fresh.get(fresh.files(row))).text).toBe('[]');
    }
  });

  test('has staff and students of one course and location', async () => {
    const [staff, one, two] = [by('staff'), by('student1'), by('student2')];
    expect(staff.claims.user.groups).toContain('instructor');
    expect([one.claims.user.groups, two.claims.user.groups]).toEqual([['student'], ['student']]);
    expect(one.claims.user.member).not.toBe(two.claims.user.member);
    expect((await one.put(one.row('member'), { a: 1 })).status).toBe(204);
    expect((await staff.get(one.row('member'))).text).toBe('{"a":1}');
    expect((await two.get(one.row('member'))).status).toBe(403);
    expect((await one.put(one.row('context'), {})).status).toBe(403);
    expect((await staff.put(staff.row('location'), { b: 2 })).status).toBe(204);
    expect((await two.get(two.row('location'))).text).toBe('{"b":2}');
    const other = staff.submit.replace(staff.claims.user.member, two.claims.user.member);
    const attempt = (await staff.grade({ score: 1 }, other)).json();
    expect(attempt.annotations.member).toBe(two.claims.user.member);
    expect((await one.grade({ score: 1 }, other)).status).toBe(403);
  });

  test('has an api_key that can submit grades of its tool, but not read rows or use account addresses', async () => {
    const one = by('student1');
    const token = made.api_key;
    const grade = (url: string) => send('POST', url, { token, json: { score: 0.5 } });
    expect((await grade(one.submit)).json().data.source_type).toBe('api_key');
    expect((await send('GET', one.row('member'), { token })).status).toBe(401);
    expect((await grade(by('account').submit)).status).toBe(401);
  });

  test('has no_lineitem, lms_refuses and score_scope_only, whose attempts fail for different reasons', async () => {
    expect((await by('no_lineitem').grade({ score: 1 })).json()).toMatchObject({
      status: 'failed',
      data: { error: 'location has no line item', response: null },
    });
    const refused = (await by('lms_refuses').grade({ score: 1 })).json();
    expect([refused.status, refused.data.response?.status]).toEqual(['failed', 403]);
    const scope = by('score_scope_only');
    expect((await scope.grade({ score: 1 })).json().status).toBe('success');
    expect((await scope.grade({ score: 1, max_score: 5 })).json()).toMatchObject({
      status: 'failed',
      max_score: 5,
      data: { response: null },
    });
    expect((await by('student1').grade({ score: 1, max_score: 5 })).json().status).toBe('success');
  });

  test('has an unprovisioned launch, which gets 422 until the provision PUT', async () => {
    const launch = by('unprovisioned');
    for (const row of ['context', 'location'] as const) {
      expect((await launch.get(launch.row(row))).status).toBe(422);
      expect((await launch.get(launch.files(row))).status).toBe(422);
      expect((await launch.call('PUT', launch.claims.provision[row])).status).toBe(204);
      expect((await launch.put(launch.row(row), { a: 1 })).status).toBe(204);
    }
    expect(await alive(launch)).toBe(200);
  });

  test('has a non_assessment launch without a grade address, and every caller is refused at one', async () => {
    expect(by('non_assessment').claims.grade.submit).toBeNull();
    const words = 'grade passback is only allowed for assessment locations';
    const tokens = [by('staff').token, by('student1').token, by('non_assessment').token];
    for (const token of [...tokens, made.api_key]) {
      const sent = { token, json: { score: 1 } };
      const answer = await send('POST', made.non_assessment_grade_url, sent);
      expect(message(answer)).toEqual([422, words]);
    }
  });

  test('has an account launch, which only its own token can use', async () => {
    const account = by('account');
    expect(new URL(account.submit).pathname).toMatch(/^\/account\/v1\/users\//);
    expect((await account.grade({ score: 1 })).json().status).toBe('success');
    expect((await by('student1').grade({ score: 1 }, account.submit)).status).toBe(403);
  });

  test('has other_course, other_tool and other_api_key, which get 403, 404 and 403', async () => {
    const one = by('student1');
    const elsewhere = by('other_course');
    expect(await alive(elsewhere)).toBe(200);
    expect((await elsewhere.get(one.row('context'))).status).toBe(403);
    expect((await elsewhere.get(one.row('member'))).status).toBe(403);
    expect((await elsewhere.grade({ score: 1 }, one.submit)).status).toBe(403);
    const tool = by('other_tool');
    expect(await alive(tool)).toBe(200);
    for (const row of ROWS) expect((await tool.get(one.row(row))).status).toBe(404);
    const sent = { token: made.other_api_key, json: { score: 1 } };
    const key = await send('POST', one.submit, sent);
    expect(message(key)).toEqual([403, expect.stringMatching(/^API key is for tool .*, not tool/)]);
    expect((await send('POST', tool.submit, sent)).json().status).toBe('success');
  });

  test('has a not_placed_grade_url, which gives 403 to the API key', async () => {
    const sent = { token: made.api_key, json: { score: 1 } };
    const answer = await send('POST', made.not_placed_grade_url, sent);
    expect(message(answer)).toEqual([
      403,
      expect.stringMatching(/^tool .* has no placement of location .* in context /),
    ]);
  });

  test('has ended, suspended and suspended_api_key, which get 401', async () => {
    expect(await alive(by('ended'))).toBe(401);
    const suspended = by('suspended');
    expect(message(await suspended.get(suspended.row('member')))).toEqual([
      401,
      'App is suspended',
    ]);
    for (const url of [suspended.submit, by('student1').submit]) {
      const sent = { token: made.suspended_api_key, json: { score: 1 } };
      expect(message(await send('POST', url, sent))).toEqual([401, 'App is suspended']);
    }
  });

  test('has a provision_request that reads the parent rows, provisions its own and uses them', async () => {
    const request = by('provision_request');
    for (const row of ['context', 'location'] as const) {
      const parent = await request.get(request.row(`parent_${row}`));
      expect(parent.json()).toEqual({ from: `the previous ${row}` });
      expect((await request.put(request.row(row), {})).status).toBe(422);
      expect((await request.call('PUT', request.claims.provision[row])).status).toBe(204);
      expect((await request.put(request.row(row), { a: 1 })).status).toBe(204);
    }
  });

  test('has a never_opened_member, who can be graded', async () => {
    const staff = by('staff');
    const url = staff.submit.replace(staff.claims.user.member, made.never_opened_member);
    expect((await staff.grade({ score: 1 }, url)).json().status).toBe('success');
  });

  test('shares nothing with a second fixture', async () => {
    const again = await fixtureOf(served);
    const one = by('student1');
    const [first, second] = [made, again].map((each) => launchOf(each.staff));
    await first?.put(first.row('context'), { mine: true });
    expect((await second?.get(second.row('context')))?.text).toBe('{}');
    expect((await second?.get(one.row('member')))?.status).toBe(404);
    expect(again.api_key).not.toBe(made.api_key);
    const fresh = launchOf(again.fresh);
    for (const row of ROWS) expect((await fresh.get(fresh.row(row))).text).toBe('{}');
  });
});

describe('the hooks of a fixture', () => {
  const living = ['fresh', 'staff', 'student1', 'account', 'other_tool', 'idle'] as const;

  /** The fixture of an emulator of its own: some hooks end the tokens of all launches. */
  async function withFixture(
    work: (made: Fixture, by: (name: Named | Spare) => Launch) => Promise<void>,
  ): Promise<void> {
    const own = await serve();
    try {
      const made = await fixtureOf(own);
      await work(made, launchesOf(made));
    } finally {
      await own.close();
    }
  }

  test('end_token, remove_member and suspend_tool end only their own token', () =>
    withFixture(async ({ hooks }, by) => {
      expect((await pull(hooks.end_token, { $token: by('student2').token })).status).toBe(200);
      expect(await alive(by('student2'))).toBe(401);
      const leaver = by('leaver');
      const values = { $member: leaver.claims.user.member };
      expect(await alive(leaver)).toBe(200);
      expect((await pull(hooks.remove_member, values)).status).toBe(200);
      expect(await alive(leaver)).toBe(401);
      expect(await alive(by('suspendee'))).toBe(200);
      expect((await pull(hooks.suspend_tool)).status).toBe(200);
      expect(await alive(by('suspendee'))).toBe(401);
      for (const name of living) expect([name, await alive(by(name))]).toEqual([name, 200]);
    }));

  test('advance_clock ends the idle token, with a number or a string', () =>
    withFixture(async ({ hooks }, by) => {
      for (const $seconds of [0, 11 * 3600, String(12 * 3600 - 1)]) {
        await pull(hooks.advance_clock, { $seconds });
        for (const name of living) expect([name, await alive(by(name))]).toEqual([name, 200]);
      }
      await pull(hooks.advance_clock, { $seconds: 12 * 3600 });
      expect(await alive(by('idle'))).toBe(401);
    }));
});
