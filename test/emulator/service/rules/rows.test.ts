import { describe, expect } from 'vitest';
import { rule } from '../../subject.ts';

const ROWS = ['context', 'location', 'member', 'member_location'] as const;

describe('Endpoints: storage rows', () => {
  rule('a row that was never written reads as {}, and PUT writes it', async ({ launch }) => {
    const staff = await launch({ role: 'manager' });
    for (const row of ROWS) {
      const read = await staff.get(staff.row(row));
      expect([row, read.status, read.text]).toEqual([row, 200, '{}']);
      expect(read.headers['content-type']).toMatch(/^application\/json/);
      const put = await staff.put(staff.row(row), { a: [1, { b: null }] });
      expect([row, put.status, put.text]).toEqual([row, 204, '']);
      expect((await staff.get(staff.row(row))).json()).toEqual({ a: [1, { b: null }] });
    }
  });

  rule(
    'a row has no other methods',
    async ({ launch }) => {
      const student = await launch();
      for (const method of ['POST', 'DELETE', 'OPTIONS']) {
        const { status, headers } = await student.call(method, student.row('member'));
        expect([method, status, headers.allow]).toEqual([method, 405, 'GET, PUT, PATCH']);
      }
    },
    ['other_methods'],
  );
});

describe('Endpoints: PATCH rules', () => {
  rule('a patch of a row that was never written starts from {}', async ({ launch }) => {
    const student = await launch();
    const url = student.row('member_location');
    await student.put(url, {});
    expect((await student.patch(url, [{ op: 'add', path: '/a/b', value: 1 }])).status).toBe(204);
    expect((await student.get(url)).json()).toEqual({ a: { b: 1 } });
  });

  rule('50 concurrent patches of different keys are all applied', async ({ launch }) => {
    const student = await launch();
    const url = student.row('member');
    await student.put(url, {});
    const patches = Array.from({ length: 50 }, (_, index) =>
      student.patch(url, [{ op: 'add', path: `/k${index}/v`, value: index }]),
    );
    const statuses = (await Promise.all(patches)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([204]));
    const row = (await student.get(url)).json<Record<string, unknown>>();
    expect(Object.keys(row)).toHaveLength(50);
    for (let index = 0; index < 50; index++) expect(row[`k${index}`]).toEqual({ v: index });
  });
});
