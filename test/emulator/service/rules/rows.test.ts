import { describe, expect } from 'vitest';
import { rule, rules } from '../../subject.ts';

const ROWS = [['context'], ['location'], ['member'], ['member_location']] as const;

describe('Endpoints: storage rows', () => {
  rules('a %s row that was never written reads as {}', ROWS, async ({ launch }, row) => {
    const staff = await launch({ role: 'manager' });
    const answer = await staff.get(staff.row(row));
    expect(answer.status).toBe(200);
    expect(answer.text).toBe('{}');
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
  });

  rules(
    'PUT of a %s row gives 204 without a body, and the row can be read',
    ROWS,
    async ({ launch }, row) => {
      const staff = await launch({ role: 'instructor' });
      const put = await staff.put(staff.row(row), { a: [1, { b: null }] });
      expect(put.status).toBe(204);
      expect(put.bytes).toHaveLength(0);
      expect((await staff.get(staff.row(row))).json()).toEqual({ a: [1, { b: null }] });
    },
  );

  rule('GET returns exactly the bytes that were last written', async ({ launch }) => {
    const student = await launch();
    const body =
      '\n{ "n": 1.10, "big": 9007199254740993,\t"e": 1e400, "é": "\\u00e9\\/", "a":2 }\r\n';
    const url = student.row('member');
    expect((await student.call('PUT', url, { body })).status).toBe(204);
    expect((await student.get(url)).text).toBe(body);
  });

  rule('PUT replaces the whole row', async ({ launch }) => {
    const student = await launch();
    await student.put(student.row('member'), { a: 1, b: 2 });
    await student.put(student.row('member'), { c: 3 });
    expect((await student.get(student.row('member'))).json()).toEqual({ c: 3 });
  });

  rules(
    '%s of a row is not allowed',
    [['POST'], ['DELETE'], ['OPTIONS']],
    async ({ launch }, method) => {
      const student = await launch();
      const answer = await student.call(method, student.row('member'));
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe('GET, PUT, PATCH');
    },
    ['other_methods'],
  );
});

describe('Endpoints: PATCH rules', () => {
  rule('a patch keeps the digits of the numbers that it does not touch', async ({ launch }) => {
    const student = await launch();
    const url = student.row('member');
    await student.call('PUT', url, {
      body: '{ "big": 9007199254740993, "e": 1E400, "f": 1.10, "z": 0 }',
    });
    await student.patch(url, [{ op: 'replace', path: '/z', value: 1 }]);
    const text = (await student.get(url)).text.replace(/\s/g, '');
    expect(text).toBe('{"big":9007199254740993,"e":1E400,"f":1.10,"z":1}');
  });

  rule('a patch of a row that was never written starts from {}', async ({ launch }) => {
    const student = await launch();
    const url = student.row('member_location');
    await student.put(url, {});
    expect((await student.patch(url, [{ op: 'add', path: '/a/b', value: 1 }])).status).toBe(204);
    expect((await student.get(url)).json()).toEqual({ a: { b: 1 } });
  });

  rule('200 concurrent patches of different keys are all applied', async ({ launch }) => {
    const student = await launch();
    const url = student.row('member');
    await student.put(url, {});
    const patches = Array.from({ length: 200 }, (_, index) =>
      student.patch(url, [{ op: 'add', path: `/k${index}/v`, value: index }]),
    );
    const statuses = (await Promise.all(patches)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([204]));
    const row = (await student.get(url)).json<Record<string, unknown>>();
    expect(Object.keys(row)).toHaveLength(200);
    for (let index = 0; index < 200; index++) expect(row[`k${index}`]).toEqual({ v: index });
  });
});

describe('Limits: JSON object of a row', () => {
  const SIZES = [
    ['context', 1_048_576],
    ['location', 1_048_576],
    ['member', 524_288],
    ['member_location', 524_288],
  ] as const;

  /** An object of this many bytes of compact JSON, some of them of two-byte characters. */
  const ofSize = (bytes: number): string => {
    const text = `{"é":"é`;
    return text + 'x'.repeat(bytes - Buffer.byteLength(text) - 2) + '"}';
  };

  rules(
    'a %s row accepts its limit by PATCH, and rejects one byte more',
    SIZES,
    async ({ launch }, row, limit) => {
      const staff = await launch({ role: 'instructor' });
      const url = staff.row(row);
      await staff.call('PUT', url, { body: ofSize(limit - 6) });
      expect((await staff.patch(url, [{ op: 'add', path: '/ab', value: 1 }])).status).toBe(422);
      expect((await staff.patch(url, [{ op: 'add', path: '/a', value: 1 }])).status).toBe(204);
      expect((await staff.get(url)).bytes).toHaveLength(limit);
      expect((await staff.patch(url, [{ op: 'replace', path: '/a', value: 12 }])).status).toBe(422);
      expect((await staff.get(url)).json()).toMatchObject({ a: 1 });
    },
    ['kilobytes', 'patched'],
  );
});
