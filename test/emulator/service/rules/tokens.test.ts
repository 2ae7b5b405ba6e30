import { describe, expect } from 'vitest';
import { rule, rules, type Launch, type Subject } from '../../subject.ts';
import { formOf, send, SUCCESS } from '../../wire.ts';

const HOUR = 3600;

const advance = (control: Subject['control'], hours: number): Promise<unknown> =>
  control('clock', { advance_seconds: hours * HOUR });

const status = async (launch: Launch): Promise<number> =>
  (await launch.get(launch.row('member'))).status;

describe('States: launch token', () => {
  rule('is valid just before 12 hours without a call', async ({ launch, control }) => {
    const student = await launch();
    await control('clock', { advance_seconds: 12 * HOUR - 0.001 });
    expect(await status(student)).toBe(200);
  });

  rule('ends after 12 hours without a call', async ({ launch, control, isRead }) => {
    const student = await launch();
    await advance(control, 12);
    expect(await status(student)).toBe(isRead('idle_edge') ? 401 : 200);
    const other = await launch();
    await control('clock', { advance_seconds: 12 * HOUR + 0.001 });
    expect(await status(other)).toBe(401);
    expect((await other.grade({ score: 1 })).status).toBe(401);
    expect((await other.get(other.files('member'))).status).toBe(401);
  });

  rules(
    'a successful %s restarts the 12 hours',
    [
      ['GET of a row', (l: Launch) => l.get(l.row('context'))],
      ['PUT of a row', (l: Launch) => l.put(l.row('member'), {})],
      [
        'PATCH of a row',
        (l: Launch) => l.patch(l.row('member'), [{ op: 'add', path: '/a', value: 1 }]),
      ],
      ['listing', (l: Launch) => l.get(l.files('member'))],
      ['declaration', (l: Launch) => l.call('PUT', l.file('member', 'a'), { json: { size: 1 } })],
      ['DELETE', (l: Launch) => l.call('DELETE', l.file('member', 'a'))],
      ['grade submission', (l: Launch) => l.grade({ score: 1 })],
      ['provision PUT', (l: Launch) => l.call('PUT', l.claims.provision.context)],
    ] as const,
    async ({ launch, control }, _name, call) => {
      const staff = await launch({ role: 'instructor' });
      await advance(control, 11);
      expect((await call(staff)).status).toBeLessThan(300);
      await advance(control, 11);
      expect(await status(staff)).toBe(200);
    },
  );

  rule('a failed attempt is a successful call', async ({ launch, control }) => {
    const student = await launch({ location: 'essay-unlinked' });
    await advance(control, 11);
    expect((await student.grade({ score: 1 })).json().status).toBe('failed');
    await advance(control, 11);
    expect(await status(student)).toBe(200);
  });

  rules(
    'a call that is rejected with %s does not restart the 12 hours',
    [
      ['403', (l: Launch) => l.put(l.row('context'), {})],
      ['404', (l: Launch) => l.get(`${l.row('member_location')}x`)],
      ['404 of a file', (l: Launch) => l.get(l.file('member', 'nothing'))],
      ['405', (l: Launch) => l.call('DELETE', l.row('member'))],
      ['422', (l: Launch) => l.call('PUT', l.row('member'), { body: '[]' })],
      ['422 of a grade', (l: Launch) => l.grade({ score: 2 })],
    ] as const,
    async ({ launch, control }, name, call) => {
      const student = await launch();
      await advance(control, 11);
      expect((await call(student)).status).toBe(Number.parseInt(name, 10));
      await control('clock', { advance_seconds: HOUR + 0.001 });
      expect(await status(student)).toBe(401);
    },
    ['other_methods'],
  );

  rule('calls of signed addresses do not count', async ({ launch, control }) => {
    const student = await launch();
    await student.upload('member', 'a.txt', 'hello');
    const { url } = (await student.get(student.file('member', 'a.txt'))).json();
    const form = (
      await student.call('PUT', student.file('member', 'b'), { json: { size: 1 } })
    ).json();
    await control('clock', { advance_seconds: 60 });
    expect((await send('GET', url)).status).toBe(200);
    expect((await send('POST', form.url, formOf(form.fields, 'x'))).status).toEqual(SUCCESS);
    await control('clock', { advance_seconds: 12 * HOUR - 59 });
    expect(await status(student)).toBe(401);
  });

  rules(
    'the tokens of a tool that was %s end at once, for good',
    [
      ['suspended', 'suspend'],
      ['archived', 'archive'],
    ] as const,
    async ({ launch, control }, _name, action) => {
      const student = await launch();
      const otherTool = await launch({ tool: 'polls' });
      await control('tool', { tool: 'essay', action });
      const answer = await student.get(student.row('member'));
      expect([answer.status, answer.message]).toEqual([401, 'App is suspended']);
      expect((await student.grade({ score: 1 })).message).toBe('App is suspended');
      expect(await status(otherTool)).toBe(200);
      await expect(launch()).resolves.toMatchObject({ claims: { location: { id: 'poll-1' } } });
      await control('tool', { tool: 'essay', action: 'activate' });
      expect(await status(student)).toBe(401);
      expect(await status(await launch())).toBe(200);
    },
  );

  rule('new code of a hosted tool ends its tokens at once', async ({ launch, control }) => {
    const student = await launch({ tool: 'sketch' });
    const other = await launch({ tool: 'essay' });
    expect((await control('tool', { tool: 'sketch', action: 'replace-code' })).ended).toBe(1);
    expect(await status(student)).toBe(401);
    expect(await status(other)).toBe(200);
    expect(await status(await launch({ tool: 'sketch' }))).toBe(200);
  });

  rule('the tokens of a user who leaves the course end at once', async ({ launch, control }) => {
    const amina = await launch({ member: 'member-111' });
    const bo = await launch({ member: 'member-112' });
    expect((await control('member/remove', { member: 'member-111' })).ended).toBe(1);
    expect(await status(amina)).toBe(401);
    expect(await status(bo)).toBe(200);
    await expect(launch({ member: 'member-111' })).rejects.toThrow('404');
  });

  rule(
    'a change of the membership ends the tokens and applies at once',
    async ({ launch, control }) => {
      const amina = await launch({ member: 'member-111' });
      const changed = { member: 'member-111', groups: ['assistant'] };
      expect((await control('member/groups', changed)).ended).toBe(1);
      expect(await status(amina)).toBe(401);
      const staff = await launch({ member: 'member-111' });
      expect((await staff.put(staff.row('context'), {})).status).toBe(204);
    },
  );

  rule(
    'a token that was ended stays ended, and a new launch works',
    async ({ launch, control }) => {
      const student = await launch();
      await control('token/end', { token: student.token });
      expect(await status(student)).toBe(401);
      expect(await status(await launch())).toBe(200);
    },
  );

  rule('an ended token stays ended even if the clock is set back', async ({ launch, control }) => {
    const student = await launch();
    await advance(control, 13);
    await advance(control, -5);
    expect(await status(student)).toBe(401);
  });

  rule(
    'has its lifetime in api.expires and api.idle',
    async ({ launch }) => {
      const { claims } = await launch();
      expect(claims.api.expires).toBeGreaterThan(0);
      expect(claims.api.idle).toBe(12 * HOUR);
    },
    ['expires', 'idle'],
  );
});
