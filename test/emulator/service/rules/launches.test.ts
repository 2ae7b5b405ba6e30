import type { FileItem } from '../../../../src/contract/index.ts';
import { describe, expect } from 'vitest';
import { byId, rule, rules } from '../../subject.ts';

describe('Launch claims', () => {
  rule('have the documented names and none of the old ones', async ({ launch }) => {
    const { claims } = await launch();
    const names = 'iss launch_id api user context course location resource_link organization'
      .concat(' storage files grade provision version')
      .split(' ');
    expect(Object.keys(claims)).toEqual(expect.arrayContaining(names));
    expect(claims.api).toHaveProperty('token');
    const kinds = ['context', 'location', 'member', 'member_location'];
    expect([Object.keys(claims.storage), Object.keys(claims.files)]).toEqual([kinds, kinds]);
    expect(claims.organization.deployment).not.toBe('');
    const text = JSON.stringify(claims);
    for (const old of ['grade_passback', 'resource_link_id', 'params'])
      expect(text).not.toContain(old);
    expect(claims.user).not.toHaveProperty('role');
    expect(claims.organization).not.toHaveProperty('id');
  });

  rule("have the service's own base address as iss", async ({ launch }) => {
    const { claims } = await launch();
    const urls = [
      ...Object.values<string>(claims.storage),
      ...Object.values<string>(claims.files),
      claims.grade.submit,
    ];
    for (const url of urls) expect(url.startsWith(`${claims.iss}/`)).toBe(true);
  });

  rule(
    'of a student have no personal data',
    async ({ launch, control }) => {
      const { claims } = await launch({ member: 'member-111' });
      expect(claims.user).toEqual({
        member: 'member-111',
        groups: ['student'],
        given_name: null,
        family_name: null,
        full_name: null,
        email: null,
      });
      const { members } = await control('state');
      const amina = byId(members, 'member-111');
      const text = JSON.stringify(claims).toLowerCase();
      for (const secret of [amina.given_name, amina.family_name, amina.email, amina.lms_user]) {
        expect(text).not.toContain(secret.toLowerCase());
      }
    },
    ['claims', 'groups'],
  );

  rules(
    'of an %s have names and email',
    [['assistant'], ['instructor'], ['manager']] as const,
    async ({ launch }, role) => {
      const { user } = (await launch({ role })).claims;
      expect(user.groups).toContain(role);
      expect(user.full_name).toBe(`${user.given_name} ${user.family_name}`);
      expect(user.email).toMatch(/@/);
    },
  );

  rule('have user.member as one whole segment of the grade URL', async ({ launch }) => {
    const { claims } = await launch();
    const segments = new URL(claims.grade.submit).pathname.split('/');
    expect(segments.filter((segment) => segment === claims.user.member)).toHaveLength(1);
    expect(segments[1]).toBe('contexts');
    expect(segments[2]).toBe(claims.context);
  });

  rule(
    'have some URLs with an encoded segment, and some with a query',
    async ({ launch }) => {
      const urls = Object.values<string>((await launch()).claims.storage);
      expect(urls.some((url) => /%[0-9A-F]{2}/.test(url.split('?')[0] ?? ''))).toBe(true);
      expect(urls.some((url) => url.includes('?'))).toBe(true);
      expect(urls.some((url) => !url.includes('?'))).toBe(true);
    },
    ['urls'],
  );

  rule(
    'name the location, the course and the version',
    async ({ launch }) => {
      const { claims } = await launch({ location: 'essay-2' });
      expect(claims.location).toEqual({ id: 'essay-2', extid: 'ext-essay-2' });
      expect(claims.context).toBe('biology-101');
      expect(claims.course).toEqual({ title: 'Biology 101' });
      expect(claims.version).toEqual({ number: 1, upgrade: null });
    },
    ['claims'],
  );

  rule('name a course that has a member with the role', async ({ launch, control }) => {
    await control('member/remove', { member: 'member-101' });
    expect((await launch({ role: 'instructor' })).claims.context).toBe('history-202');
    await expect(launch({ role: 'instructor', course: 'biology-101' })).rejects.toThrow('404');
  });

  rule(
    'have times in whole milliseconds, however the clock moved',
    async ({ launch, control }) => {
      await control('clock', { advance_seconds: 0.12345 });
      const amina = await launch();
      await amina.upload('member', 'a', 'x');
      const [{ modified }] = (await amina.get(amina.files('member'))).json<[FileItem]>();
      const { expires } = (await amina.get(amina.file('member', 'a'))).json();
      for (const time of [modified, expires, amina.claims.api.expires]) {
        expect(Number.isInteger(time)).toBe(true);
      }
    },
    ['expires'],
  );

  rule('have new tokens and launch IDs each time', async ({ launch }) => {
    const [one, two] = [await launch(), await launch()];
    expect(one.token).not.toBe(two.token);
    expect(one.claims.launch_id).not.toBe(two.claims.launch_id);
    expect(one.claims.user.member).toBe(two.claims.user.member);
    expect(one.token.length).toBeGreaterThan(32);
  });
});

rule('removed endpoints are 404, with a token and without', async ({ launch }) => {
  const staff = await launch({ role: 'manager' });
  const removed = ['GET /apps/me', 'PATCH /apps/me', 'GET /apps/me/locations']
    .concat(['POST /apps/me/locations', 'PATCH /apps/me/locations/1', 'POST /apps/me/key'])
    .concat(['DELETE /apps/me/locations/1', 'POST /apps/me/keys/rotate', 'POST /grades'])
    .concat(['GET /grades/1', 'GET /', 'GET /constructor/x']);
  for (const line of removed) {
    const [method = '', path = ''] = line.split(' ');
    for (const token of [staff.token, undefined]) {
      const answer = await staff.call(method, staff.claims.iss + path, { json: {}, token });
      expect([line, answer.status]).toEqual([line, 404]);
    }
  }
});

rule('the launched person must have the requested role', async ({ launch }) => {
  const mara = { member: 'member-101' };
  expect((await launch({ ...mara, role: 'instructor' })).claims.user.member).toBe(mara.member);
  await expect(launch({ ...mara, role: 'student' })).rejects.toThrow(
    /422 .*member member-101 is not student but instructor/,
  );
  await expect(launch({ member: 'member-111', role: 'instructor' })).rejects.toThrow(
    /422 .*member member-111 is not instructor but student/,
  );
});
