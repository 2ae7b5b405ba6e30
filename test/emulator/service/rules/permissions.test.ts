import { describe, expect } from 'vitest';
import { byId, type Launch, rule, rules } from '../../subject.ts';
import { SUCCESS } from '../../wire.ts';

/** One student of the default course, and another. */
const AMINA = 'member-111';
const BO = 'member-112';

/** What a launch gets for reading, writing, listing files, declaring one, and deleting one. */
async function verbs(launch: Launch, row: string, files: string): Promise<number[]> {
  const [path, query] = files.split('?');
  const file = `${path}/a.txt${query === undefined ? '' : `?${query}`}`;
  const answers = [
    await launch.get(row),
    await launch.put(row, {}),
    await launch.patch(row, [{ op: 'add', path: '/a', value: 1 }]),
    await launch.get(files),
    await launch.call('PUT', file, { json: { size: 1 } }),
    await launch.call('DELETE', file),
  ];
  return answers.map(({ status }) => status);
}

const ALL = [200, 204, 204, 200, SUCCESS, 204];
const READ_ONLY = [200, 403, 403, 200, 403, 403];
const NONE = [403, 403, 403, 403, 403, 403];
const MISSING = [404, 404, 404, 404, 404, 404];

describe('Authentication, 4: data permissions', () => {
  rules(
    'students read the shared %s row and its files, but a write gives 403',
    [['context'], ['location']] as const,
    async ({ launch }, row) => {
      const amina = await launch({ member: AMINA });
      expect(await verbs(amina, amina.row(row), amina.files(row))).toEqual(READ_ONLY);
    },
  );

  rules(
    'students read and write their own %s row and its files only',
    [['member'], ['member_location']] as const,
    async ({ launch }, row) => {
      const [amina, bo] = [await launch({ member: AMINA }), await launch({ member: BO })];
      expect(await verbs(amina, amina.row(row), amina.files(row))).toEqual(ALL);
      expect(await verbs(amina, bo.row(row), bo.files(row))).toEqual(NONE);
    },
  );

  for (const role of ['manager', 'instructor', 'assistant'] as const) {
    rules(
      `an ${role} reads and writes any member's %s row and its files`,
      [['context'], ['location'], ['member'], ['member_location']] as const,
      async ({ launch }, row) => {
        const [staff, bo] = [await launch({ role }), await launch({ member: BO })];
        expect(await verbs(staff, bo.row(row), bo.files(row))).toEqual(ALL);
      },
    );
  }

  rules(
    "a user who is not a member of the row's course gets 403 on its %s row",
    [['context'], ['location'], ['member'], ['member_location']] as const,
    async ({ launch }, row) => {
      const amina = await launch({ member: AMINA });
      for (const role of ['student', 'instructor'] as const) {
        const outsider = await launch({ course: 'history-202', role });
        expect(await verbs(outsider, amina.row(row), amina.files(row))).toEqual(NONE);
      }
    },
  );

  rules(
    "another tool's token gets 404 on a %s row",
    [['context'], ['location'], ['member'], ['member_location']] as const,
    async ({ launch }, row) => {
      const amina = await launch({ member: AMINA });
      const other = await launch({ member: AMINA, tool: 'polls' });
      expect(await verbs(other, amina.row(row), amina.files(row))).toEqual(MISSING);
    },
  );

  rules(
    'a %s URL that does not exist is 404',
    [['context'], ['location'], ['member'], ['member_location']] as const,
    async ({ launch }, row) => {
      const staff = await launch({ role: 'instructor' });
      const damages = [
        staff.row(row).replace(/(biology-101|essay-1|member-101)/, '$1x'),
        staff.row(row).replace('row', 'rows'),
        `${staff.row(row)}x`,
        staff
          .row(row)
          .replace('%2F', '/')
          .replace('%3A', ':')
          .replace('/locations/', '/locations//'),
      ];
      // Not every address has something to decode.
      for (const url of damages.filter((each) => each !== staff.row(row))) {
        expect([url, (await staff.get(url)).status]).toEqual([url, 404]);
      }
    },
  );

  rule(
    'one user in two courses has the permissions of each',
    async ({ launch, control }) => {
      const here = await launch({ member: 'member-101' });
      const there = await launch({ member: 'member-301' });
      await there.call('PUT', there.claims.provision.context);
      expect((await here.put(there.row('context'), { a: 1 })).status).toBe(204);
      await control('member/remove', { member: 'member-301' });
      expect((await here.get(there.row('context'))).status).toBe(403);
      expect((await here.get(here.row('context'))).status).toBe(200);
    },
    ['finishers'],
  );
});

describe('Errors, Storage and files: 401', () => {
  rules(
    'a %s token is 401 on rows, files and provision URLs',
    [
      ['missing', undefined],
      ['made-up', 'lt_nobody'],
    ] as const,
    async ({ launch }, _name, token) => {
      const staff = await launch({ role: 'instructor' });
      const { claims } = staff;
      for (const url of [
        ...Object.values<string>(claims.storage),
        ...Object.values<string>(claims.files),
      ]) {
        expect((await staff.call('GET', url, { token })).status).toBe(401);
      }
      expect((await staff.call('PUT', claims.provision.context, { token })).status).toBe(401);
    },
  );

  rule(
    "the tool's API key is rejected on storage, files and provision URLs",
    async ({ launch, control }) => {
      const staff = await launch({ role: 'instructor' });
      const { tools } = await control('state');
      const token = String(byId(tools, 'essay').api_key);
      expect((await staff.call('GET', staff.row('context'), { token })).status).toBe(401);
      expect((await staff.call('GET', staff.files('context'), { token })).status).toBe(401);
      expect((await staff.call('PUT', staff.claims.provision.context, { token })).status).toBe(401);
    },
  );

  rule('only the Bearer scheme is accepted', async ({ launch }) => {
    const student = await launch();
    const url = student.row('member');
    const withHeader = (authorization: string) =>
      student.call('GET', url, { headers: { authorization } });
    expect((await withHeader(`Basic ${student.token}`)).status).toBe(401);
    expect((await withHeader(student.token)).status).toBe(401);
    expect((await withHeader('Bearer')).status).toBe(401);
    expect((await withHeader(`bearer ${student.token}`)).status).toBe(200);
  });

  rule(
    'errors are checked in the order 401, 404, 422 unprovisioned, 403, 422 body',
    async ({ launch }) => {
      const student = await launch({ course: 'biology-102' });
      const url = student.row('context');
      const nowhere = url.replace('biology-102', 'nowhere');
      const send = (to: string, token: string) => student.call('PUT', to, { token, body: '[' });
      expect((await send(nowhere, 'nobody')).status).toBe(401);
      expect((await send(`${url}/more`, 'nobody')).status).toBe(401);
      expect((await send(`${url}/more`, student.token)).status).toBe(404);
      expect((await send(nowhere, student.token)).status).toBe(404);
      expect((await send(url, student.token)).message).toMatch(/not provisioned/);
      await student.call('PUT', student.claims.provision.context);
      expect((await send(url, student.token)).status).toBe(403);
    },
    ['messages', 'refusals', 'finishers'],
  );
});
