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
      '\n{ "n": 1.10, "big": 9007199254740993,\t"e": 1e400, "é": "\\u00e9\\/", "a":1, "a":2 }\r\n';
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
    'PUT of %s gives 422 and changes nothing',
    [
      ['an array', '[]'],
      ['nothing', ''],
      ['cut JSON', '{"a":'],
      ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ],
    async ({ launch }, _name, body) => {
      const student = await launch();
      const url = student.row('member');
      await student.put(url, { kept: true });
      const answer = await student.call('PUT', url, { body });
      expect(answer.status).toBe(422);
      expect(answer.json().error.message).toMatch(/^malformed body/);
      expect((await student.get(url)).json()).toEqual({ kept: true });
    },
  );

  rules(
    '%s of a row is not allowed',
    [['POST'], ['DELETE'], ['OPTIONS']],
    async ({ launch }, method) => {
      const student = await launch();
      const answer = await student.call(method, student.row('member'));
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe('GET, PUT, PATCH');
    },
  );
});

describe('Endpoints: PATCH rules', () => {
  const before = { a: { b: 1 }, list: [1, 2], n: null, s: 'text' };

  rules(
    'a patch with %s gives 204 and is applied',
    [
      ['add', [{ op: 'add', path: '/c', value: { d: 1 } }], { ...before, c: { d: 1 } }],
      ['replace', [{ op: 'replace', path: '/a/b', value: 2 }], { ...before, a: { b: 2 } }],
      ['remove', [{ op: 'remove', path: '/a/b' }], { ...before, a: {} }],
      [
        'missing parents',
        [{ op: 'add', path: '/x/y/0', value: 1 }],
        { ...before, x: { y: { 0: 1 } } },
      ],
      [
        '__proto__',
        [{ op: 'add', path: '/__proto__/x', value: 1 }],
        JSON.parse('{"a":{"b":1},"list":[1,2],"n":null,"s":"text","__proto__":{"x":1}}'),
      ],
      ['no operations', [], before],
    ],
    async ({ launch }, _name, patch, after) => {
      const student = await launch();
      const url = student.row('member');
      await student.put(url, before);
      const answer = await student.patch(url, patch);
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect((await student.get(url)).json()).toEqual(after);
    },
  );

  rules(
    'a patch with %s gives 422 and changes nothing',
    [
      ['no wrapper', [{ op: 'add', path: '/c', value: 1 }]],
      ['an empty body', {}],
      ['an unknown op', { patch: [{ op: 'set', path: '/c', value: 1 }] }],
      ['move', { patch: [{ op: 'move', from: '/a', path: '/c' }] }],
      ['replace of a missing member', { patch: [{ op: 'replace', path: '/c', value: 1 }] }],
      [
        'a valid operation before an invalid one',
        {
          patch: [
            { op: 'add', path: '/c', value: 1 },
            { op: 'remove', path: '/zzz' },
          ],
        },
      ],
    ],
    async ({ launch }, _name, json) => {
      const student = await launch();
      const url = student.row('member');
      await student.put(url, before);
      const answer = await student.call('PATCH', url, { json });
      expect(answer.status).toBe(422);
      expect(answer.json().error.message).not.toBe('');
      expect((await student.get(url)).json()).toEqual(before);
    },
  );

  rule('a patch keeps the digits of the numbers that it does not touch', async ({ launch }) => {
    const student = await launch();
    const url = student.row('member');
    await student.call('PUT', url, {
      body: '{ "big": 9007199254740993, "f": 1.10, "e": 1E400, "z": 0 }',
    });
    await student.patch(url, [{ op: 'replace', path: '/z', value: 1 }]);
    expect((await student.get(url)).text).toBe('{"big":9007199254740993,"f":1.10,"e":1E400,"z":1}');
  });

  rule('a patch of a row that was never written starts from {}', async ({ launch }) => {
    const student = await launch();
    const url = student.row('member_location');
    await student.put(url, {});
    expect((await student.patch(url, [{ op: 'add', path: '/a/b', value: 1 }])).status).toBe(204);
    expect((await student.get(url)).text).toBe('{"a":{"b":1}}');
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
    'a %s row accepts its limit by PUT, and rejects one byte more',
    SIZES,
    async ({ launch }, row, limit) => {
      const staff = await launch({ role: 'instructor' });
      const url = staff.row(row);
      expect((await staff.call('PUT', url, { body: ofSize(limit) })).status).toBe(204);
      const over = await staff.call('PUT', url, { body: ofSize(limit + 1) });
      expect(over.status).toBe(422);
      expect(over.json().error.message).toMatch(/limit/);
      expect((await staff.get(url)).bytes).toHaveLength(limit);
    },
  );

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
  );

  rule('white space and unnecessary escapes do not count', async ({ launch }) => {
    const student = await launch();
    const body = `{ "a" : ${' '.repeat(600_000)} "${'\\u0041'.repeat(100_000)}" }`;
    expect((await student.call('PUT', student.row('member'), { body })).status).toBe(204);
  });
});
