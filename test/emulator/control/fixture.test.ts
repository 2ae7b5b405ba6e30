import { beforeEach, describe, expect, test } from 'vitest';
import type { makeFixture } from '../../../src/emulator/control/fixture.ts';
import { type Emulated, emulatedOnce, launchOf, type Launch } from '../subject.ts';
import { send, type Answer } from '../wire.ts';

/** The names that conformance clients rely on. */
const KEYS = [
  'base_url fresh staff student1 student2 api_key no_lineitem unprovisioned',
  'non_assessment account other_course other_tool other_api_key lms_refuses',
  'score_scope_only ended suspended suspended_api_key provision_request',
  'never_opened_member non_assessment_grade_url not_placed_grade_url spare hooks',
]
  .join(' ')
  .split(' ');
const ROWS = ['context', 'location', 'member', 'member_location'] as const;

type Fixture = ReturnType<typeof makeFixture>;

const emulator = emulatedOnce();
const fixtureOf = async ({ operate }: Emulated): Promise<Fixture> =>
  (await operate('POST', 'fixture', { json: {} })).json<Fixture>();

/** The launches of a fixture by their names. */
const launchesOf =
  (made: Fixture) =>
  (name: string): Launch =>
    launchOf(({ ...made, ...made.spare } as Record<string, unknown>)[name] as never);

/** Calls a hook as a client does that knows nothing but the fixture. */
function pull(hook: object | undefined, values: Record<string, unknown> = {}): Promise<Answer> {
  const { method, url, headers, ...more } = hook as Record<'method' | 'url', string> & {
    readonly headers: Record<string, string>;
    readonly body: object;
  };
  const body = JSON.stringify(more.body, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith('$') ? values[value] : value,
  );
  return send(method, url, { headers, body });
}

const message = ({ status, message: words }: Answer): [number, string] => [status, words];
const alive = async (launch: Launch): Promise<number> =>
  (await launch.get(launch.row('member'))).status;

let made: Fixture;
let by: (name: string) => Launch;
beforeEach(async () => {
  made = await fixtureOf(emulator);
  by = launchesOf(made);
});

describe('the fixture', () => {
  test('has exactly the documented fields', () => {
    expect(Object.keys(made)).toEqual(KEYS);
    expect(Object.keys(made.spare)).toEqual(['idle', 'leaver', 'suspendee']);
    expect(made.base_url).toBe(emulator.served.url);
    for (const hook of Object.values(made.hooks)) {
      expect(Object.keys(hook)).toEqual(['method', 'url', 'headers', 'body']);
    }
  });

  test('has launches with the access that their names say', async () => {
    const [staff, one, two] = [by('staff'), by('student1'), by('student2')];
    const fresh = by('fresh');
    for (const row of ROWS) {
      expect((await fresh.get(fresh.row(row))).text).toBe('{}');
      expect((await fresh.get(fresh.files(row))).text).toBe('[]');
    }
    expect(one.claims.user.member).not.toBe(two.claims.user.member);
    const elsewhere = by('other_course');
    const tool = by('other_tool');
    const reads: [caller: Launch, url: string, status: number][] = [
      [staff, one.row('member'), 200],
      [two, one.row('member'), 403],
      [elsewhere, elsewhere.row('member'), 200],
      [elsewhere, one.row('context'), 403],
      [tool, tool.row('member'), 200],
      ...ROWS.map((row): [Launch, string, number] => [tool, one.row(row), 404]),
      [by('ended'), by('ended').row('member'), 401],
      [by('suspended'), by('suspended').row('member'), 401],
    ];
    for (const [caller, url, status] of reads)
      expect([url, (await caller.get(url)).status]).toEqual([url, status]);
  });

  test('has grade URLs and credentials that end as their names say', async () => {
    const of = (name: string): string => by(name).claims.grade.submit;
    const [one, staff] = [by('student1'), by('staff')];
    const member = (id: string): string => staff.submit.replace(staff.claims.user.member, id);
    expect(of('non_assessment')).toBeNull();
    const ungraded = [422, 'grade passback is only allowed for assessment locations'];
    const cases: [url: string, token: string, ends: unknown][] = [
      [one.submit, one.token, 'success'],
      [member(by('student2').claims.user.member), staff.token, 'success'],
      [member(made.never_opened_member), staff.token, 'success'],
      [member(by('student2').claims.user.member), one.token, 403],
      [one.submit, made.api_key, 'success'],
      [of('account'), by('account').token, 'success'],
      [of('account'), made.api_key, 401],
      [of('account'), one.token, 403],
      [one.submit, by('other_course').token, 403],
      [
        one.submit,
        made.other_api_key,
        [403, expect.stringMatching(/^API key is for tool .*, not/)],
      ],
      [of('other_tool'), made.other_api_key, 'success'],
      [
        made.not_placed_grade_url,
        made.api_key,
        [403, expect.stringMatching(/^tool .* has no placement/)],
      ],
      [of('suspended'), made.suspended_api_key, [401, 'App is suspended']],
      [one.submit, made.suspended_api_key, [401, 'App is suspended']],
      ...[staff.token, one.token, by('non_assessment').token, made.api_key].map(
        (token): [string, string, unknown] => [made.non_assessment_grade_url, token, ungraded],
      ),
      [of('no_lineitem'), by('no_lineitem').token, 'location has no line item'],
      [of('lms_refuses'), by('lms_refuses').token, expect.stringContaining('403')],
      [of('score_scope_only'), by('score_scope_only').token, 'success'],
    ];
    for (const [url, token, ends] of cases) {
      const answer = await send('POST', url, { token, json: { score: 0.5 } });
      const refusal = typeof ends === 'number' ? answer.status : message(answer);
      const found = answer.isSuccess ? answer.json().data.error || 'success' : refusal;
      expect([url, found]).toEqual([url, ends]);
    }
    const scope = await by('score_scope_only').grade({ score: 1, max_score: 5 });
    expect(scope.json()).toMatchObject({ status: 'failed', data: { response: null } });
  });

  test('has a launch and a provision request that get 422 until the provision PUT', async () => {
    const request = by('provision_request');
    for (const row of ['context', 'location'] as const) {
      const parent = await request.get(request.row(`parent_${row}`));
      expect(parent.json()).toEqual({ from: `the previous ${row}` });
      for (const each of [by('unprovisioned'), request]) {
        expect((await each.get(each.row(row))).status).toBe(422);
        expect((await each.call('PUT', each.claims.provision[row])).status).toBe(204);
        expect((await each.put(each.row(row), { a: 1 })).status).toBe(204);
      }
    }
  });

  test('shares nothing with a second fixture', async () => {
    const again = await fixtureOf(emulator);
    const one = by('student1');
    const [first, second] = [made, again].map((each) => launchOf(each.staff as never));
    await first?.put(first.row('context'), { mine: true });
    expect((await second?.get(second.row('context')))?.text).toBe('{}');
    expect((await second?.get(one.row('member')))?.status).toBe(404);
    expect(again.api_key).not.toBe(made.api_key);
    const fresh = launchOf(again.fresh as never);
    for (const row of ROWS) expect((await fresh.get(fresh.row(row))).text).toBe('{}');
  });
});

describe('the hooks of a fixture', () => {
  const living = ['fresh', 'staff', 'student1', 'account', 'other_tool', 'idle'] as const;

  test('end_token, remove_member and suspend_tool end only their own token', async () => {
    const { hooks } = made;
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
  });

  test('advance_clock ends the idle token, with a number or a string', async () => {
    const { hooks } = made;
    for (const $seconds of [0, 11 * 3600, String(12 * 3600 - 1)]) {
      await pull(hooks.advance_clock, { $seconds });
      for (const name of living) expect([name, await alive(by(name))]).toEqual([name, 200]);
    }
    await pull(hooks.advance_clock, { $seconds: 12 * 3600 });
    expect(await alive(by('idle'))).toBe(401);
  });
});
