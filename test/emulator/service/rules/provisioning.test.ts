import { describe, expect } from 'vitest';
import { rule, rules, type Launch } from '../../subject.ts';
import { SUCCESS } from '../../wire.ts';

const NEW_COURSE = 'biology-102';
const HOUR = 3600;

async function everyVerb(launch: Launch, row: 'context' | 'location'): Promise<number[]> {
  const answers = [
    await launch.get(launch.row(row)),
    await launch.put(launch.row(row), {}),
    await launch.patch(launch.row(row), [{ op: 'add', path: '/a', value: 1 }]),
    await launch.get(launch.files(row)),
    await launch.get(launch.file(row, 'a.txt')),
    await launch.call('PUT', launch.file(row, 'a.txt'), { json: { size: 1 } }),
    await launch.call('DELETE', launch.file(row, 'a.txt')),
  ];
  return answers.map(({ status }) => status);
}

describe('States: storage row provisioning', () => {
  rules(
    'any call to an unprovisioned %s row or its files gives 422 until the matching PUT',
    [
      ['context', 'location'],
      ['location', 'context'],
    ] as const,
    async ({ launch }, row, other) => {
      const staff = await launch({ course: NEW_COURSE, role: 'instructor' });
      const student = await launch({ course: NEW_COURSE });
      for (const each of [staff, student]) {
        expect(await everyVerb(each, row)).toEqual([422, 422, 422, 422, 422, 422, 422]);
      }
      const finish = await staff.call('PUT', staff.claims.provision[row]);
      expect([finish.status, finish.text]).toEqual([SUCCESS, '']);
      expect(await everyVerb(staff, row)).toEqual([200, 204, 204, 200, 404, SUCCESS, 204]);
      expect((await staff.get(staff.row(other))).status).toBe(422);
    },
  );

  rule('member rows are never unprovisioned', async ({ launch }) => {
    const student = await launch({ course: NEW_COURSE });
    for (const row of ['member', 'member_location'] as const) {
      expect((await student.put(student.row(row), { a: 1 })).status).toBe(204);
      expect((await student.get(student.files(row))).json()).toEqual([]);
    }
  });

  rule('the finish call can be repeated with any body, and keeps the row', async ({ launch }) => {
    const staff = await launch({ course: NEW_COURSE, role: 'instructor' });
    const url = staff.claims.provision.context;
    expect((await staff.call('PUT', url)).status).toEqual(SUCCESS);
    await staff.put(staff.row('context'), { a: 1 });
    expect((await staff.call('PUT', url, { body: 'no JSON' })).status).toEqual(SUCCESS);
    expect((await staff.put(url, { any: 'thing' })).status).toEqual(SUCCESS);
    expect((await staff.get(staff.row('context'))).text).toBe('{"a":1}');
  });

  rule(
    'the finish call accepts any valid token of the tool in that course only',
    async ({ launch, provisionRequest }) => {
      const request = await provisionRequest({ course: NEW_COURSE });
      const student = await launch({ course: NEW_COURSE });
      const elsewhere = await launch({ course: 'history-202', role: 'instructor' });
      const otherTool = await launch({ course: 'biology-101', tool: 'polls', role: 'instructor' });
      const { context, location } = request.claims.provision;
      expect((await elsewhere.call('PUT', context)).status).toBe(403);
      expect((await otherTool.call('PUT', context)).status).toBe(404);
      expect((await student.call('PUT', context)).status).toEqual(SUCCESS);
      expect((await request.call('PUT', location)).status).toEqual(SUCCESS);
      expect((await request.call('GET', location)).isSuccess).toBe(false);
      expect((await request.call('PUT', `${location}x`)).status).toBe(404);
    },
    ['finishers'],
  );
});

describe('A provision request', () => {
  rule(
    'includes the shared rows of the copied course and its parent',
    async ({ provisionRequest }) => {
      const { claims } = await provisionRequest({ course: NEW_COURSE });
      expect(Object.keys(claims.storage).sort()).toEqual([
        'context',
        'location',
        'parent_context',
        'parent_location',
      ]);
      expect(claims.context).toBe(NEW_COURSE);
      expect(Object.keys(claims.provision).sort()).toEqual(['context', 'location']);
      expect(claims.user).toBeUndefined();
      expect(claims.grade).toBeUndefined();
      const own = await provisionRequest({ course: 'history-202' });
      expect(Object.keys(own.claims.storage).sort()).toEqual(['context', 'location']);
    },
  );

  rule('can read the parent rows but not write them', async ({ launch, provisionRequest }) => {
    const staff = await launch({ role: 'instructor' });
    await staff.put(staff.row('context'), { from: 'last year' });
    await staff.put(staff.row('location'), { deep: [1] });
    const request = await provisionRequest({ course: NEW_COURSE });
    expect((await request.get(request.row('parent_context'))).text).toBe('{"from":"last year"}');
    expect((await request.get(request.row('parent_location'))).text).toBe('{"deep":[1]}');
    for (const row of ['parent_context', 'parent_location'] as const) {
      expect((await request.put(request.row(row), {})).status).toBe(403);
      expect(
        (await request.patch(request.row(row), [{ op: 'add', path: '/a', value: 1 }])).status,
      ).toBe(403);
    }
  });

  rule('has no access to member rows and other courses', async ({ launch, provisionRequest }) => {
    const request = await provisionRequest({ course: NEW_COURSE });
    const student = await launch({ course: NEW_COURSE });
    const history = await launch({ course: 'history-202' });
    expect((await request.get(student.row('member'))).status).toBe(403);
    expect((await request.get(student.row('member_location'))).status).toBe(403);
    expect((await request.get(history.row('context'))).status).toBe(403);
  });

  rule('has a token that is valid for 3 hours', async ({ provisionRequest, control }) => {
    const request = await provisionRequest({ course: NEW_COURSE });
    const read = () => request.get(request.row('parent_context'));
    await control('clock', { advance_seconds: 2 * HOUR });
    expect((await read()).status).toBe(200);
    await control('clock', { advance_seconds: HOUR - 0.001 });
    expect((await read()).status).toBe(200);
    await control('clock', { advance_seconds: 0.001 });
    expect((await read()).status).toBe(401);
  });

  rule(
    'is sent once, and again after 3 hours without a finish call',
    async ({ provisionRequest, control }) => {
      const first = await provisionRequest({ course: NEW_COURSE });
      await control('clock', { advance_seconds: 3 * HOUR - 1 });
      expect((await provisionRequest({ course: NEW_COURSE })).token).toBe(first.token);
      await control('clock', { advance_seconds: 1 });
      const second = await provisionRequest({ course: NEW_COURSE });
      expect(second.token).not.toBe(first.token);
      expect((await first.call('PUT', first.claims.provision.context)).status).toBe(401);
      expect((await second.call('PUT', second.claims.provision.context)).status).toEqual(SUCCESS);
    },
  );
});
