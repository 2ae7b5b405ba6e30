import { describe, expect, test } from 'vitest';
import {
  type Claims,
  isProvisionRequest,
  isStaff,
  readLaunch,
  STAFF_GROUPS,
} from '../../src/contract/claims.ts';
import { claimsFromText } from '../../src/contract/launch-text.ts';

const base = 'https://service.example';
const urls = (kind: string): Record<string, string> => ({
  context: `${base}/${kind}/c?x=%2e`,
  location: `${base}/${kind}/l`,
  member: `${base}/${kind}/m`,
  member_location: `${base}/${kind}/ml`,
});

/** Every claim of the contract that lectern calls by. */
const CLAIMS = {
  iss: base,
  api: { token: 'secret', expires: 1_795_000_000_000, idle: 43_200 },
  storage: urls('rows'),
  files: urls('files'),
  grade: { submit: `${base}/contexts/c1/members/m1` },
  user: {
    member: 'm1',
    groups: ['instructor', 'Section 2'],
    given_name: 'Åse',
    family_name: 'Berg',
    full_name: 'Åse Berg',
    email: 'aase@example.com',
  },
  location: { id: 'l1', extid: 'ext1' },
  context: 'c1',
  course: { title: 'Biology 語' },
  provision: { context: `${base}/provision/c`, location: `${base}/provision/l` },
  launch_id: 'x1',
};

const json = (value: unknown): string => JSON.stringify(value);
const part = (text: string): string => Buffer.from(text).toString('base64url');
const tokenOf = (payload: unknown, header: unknown = { alg: 'RS256' }): string =>
  `${part(json(header))}.${part(json(payload))}.${part('signature')}`;

const escaped = (text: string): string => text.replaceAll('"', '\\"');
const wrapped = (text: string, width: number): string =>
  text.match(new RegExp(`.{1,${width}}`, 'gu'))?.join('\n') ?? '';
const quoted = (text: string): string => text.replaceAll(/^/gm, '> ');

/** The claims in a text; a fault comes back as such, so that a test that expects claims shows it. */
const read = (text: string): Claims | string => {
  const found = claimsFromText(text);
  return 'fault' in found ? `fault: ${found.fault}` : found.claims;
};

describe('the claims of a launch', () => {
  test.each([
    ['compact JSON', json(CLAIMS)],
    ['indented JSON', JSON.stringify(CLAIMS, null, 2)],
    ['JSON in white space', `\n\t ${json(CLAIMS)}\r\n`],
    ['JSON after a byte order mark', `\ufeff${json(CLAIMS)}`],
    ['under a wrapper key', json({ launch: CLAIMS })],
    ['under four wrapper keys', json({ a: { b: { c: { d: CLAIMS } } } })],
    ['an object next to other members', json({ ok: true, at: null, list: [1], launch: CLAIMS })],
    ['an object under a wrapper that has its own user', json({ user: { id: 5 }, launch: CLAIMS })],
    ['a compact token', tokenOf(CLAIMS)],
    ['a compact token with a line break', `${tokenOf(CLAIMS)}\n`],
    ['a compact token without a signature', `${part('{}')}.${part(json(CLAIMS))}.`],
    ['a compact token around a wrapper', tokenOf({ claims: CLAIMS })],
    ['JSON with a comment', `// launch\n${json(CLAIMS)}`],
    ['JSON in a log line', `12:00 INFO launch {user} claims=${json(CLAIMS)} in 3 ms`],
    ['JSON in a string of a log line', `{"level":"info","msg":"launch ${escaped(json(CLAIMS))}"}`],
    ['escaped JSON in a log line', `INFO claims="${escaped(json(CLAIMS))}" ok`],
    ['a token in a log line', `INFO token=${tokenOf(CLAIMS)} accepted`],
    ['a token wrapped over lines', wrapped(tokenOf(CLAIMS), 76)],
    ['a wrapped token in a mail', `Hello,\n\n${wrapped(tokenOf(CLAIMS), 76)}\n\nRegards, Åse`],
    ['JSON wrapped over lines', wrapped(json(CLAIMS), 76)],
    [
      'JSON wrapped within names',
      JSON.stringify(CLAIMS, null, 2).replace('Åse Berg', 'Åse\n  Berg'),
    ],
    ['JSON quoted with >', quoted(JSON.stringify(CLAIMS, null, 2))],
    ['JSON quoted twice and wrapped', quoted(quoted(wrapped(json(CLAIMS), 70)))],
    ['a quoted token in a mail', `Anna wrote:\n${quoted(wrapped(tokenOf(CLAIMS), 60))}\nThanks`],
    ['quoted base64', quoted(wrapped(Buffer.from(json(CLAIMS)).toString('base64'), 76))],
  ])('are found in %s', (_name, text) => {
    expect(read(text)).toEqual(CLAIMS);
  });

  test('come with the header of their token', () => {
    const header = { alg: 'RS256', kid: 'Schlüssel', typ: 'JWT' };
    expect(claimsFromText(tokenOf(CLAIMS, header))).toMatchObject({ form: 'token', header });
  });

  test('come without a header from JSON', () => {
    const found = claimsFromText(json(CLAIMS));
    expect(found).toMatchObject({ form: 'json' });
    expect(found).not.toHaveProperty('header');
  });

  test('may have names with dots, which are nested claims', () => {
    const dotted: Record<string, unknown> = { context: 'c1' };
    for (const outer of ['api', 'storage', 'files', 'grade', 'user', 'location', 'provision']) {
      const inner = CLAIMS[outer as keyof typeof CLAIMS] as Record<string, unknown>;
      for (const [name, value] of Object.entries(inner)) dotted[`${outer}.${name}`] = value;
    }
    const { iss: _iss, course: _course, launch_id: _id, ...expected } = CLAIMS;
    expect(read(json(dotted))).toEqual(expected);
  });

  test('may be nested and have names with dots at the same time', () => {
    const mixed = { api: { token: 'secret' }, 'api.idle': 5, 'grade.submit': null };
    expect(read(json(mixed))).toEqual({
      api: { token: 'secret', idle: 5 },
      grade: { submit: null },
    });
  });

  test('keep names with dots that are not claims', () => {
    const claims = {
      api: {},
      'x.y': 1,
      'api.token.x': 2,
      'https://e/api.token': 3,
      'Api.Token': 4,
    };
    expect(read(json(claims))).toEqual(claims);
  });

  test('keep non-ASCII characters in a token', () => {
    expect(read(tokenOf({ iss: 'é語😀??>>' }))).toEqual({ iss: 'é語😀??>>' });
  });

  test.each([
    ['nothing', ''],
    ['white space', ' \n\ufeff'],
    ['null', 'null'],
    ['a number', '5'],
    ['a string', '"hello"'],
    ['an empty object', '{}'],
    ['an empty array', '[]'],
    ['an object without a known name', '{"a":{"b":1}}'],
    ['claims five levels down', json({ a: { b: { c: { d: { e: CLAIMS } } } } })],
    ['cut JSON', json(CLAIMS).slice(0, -1)],
    ['a token without claims', tokenOf({ sub: 'x' })],
    ['a token whose payload is an array', tokenOf([CLAIMS])],
    ['a token whose payload is not JSON', `${part('{}')}.${part('{')}.x`],
    [
      'a token whose payload is not UTF-8',
      `${part('{}')}.${Buffer.of(0xff).toString('base64url')}.x`,
    ],
    ['a token whose payload is not base64url', `${part('{}')}.a.x`],
    ['a token whose header is not JSON', `${part('x')}.${part(json(CLAIMS))}.x`],
    ['a version number', '1.2.3'],
    ['two parts of a token', `${part('{}')}.${part(json(CLAIMS))}`],
    ['prose', 'no launch here'],
  ])('are not found in %s', (_name, text) => {
    const found = claimsFromText(text);
    expect(found).toEqual({ fault: expect.stringMatching(/\w/) });
  });

  test.each([
    ['curly quotes', json(CLAIMS).replaceAll('"', '”'), 'curly quotes'],
    ['low and high quotes', json(CLAIMS).replaceAll(/"([^"]*)"/g, '„$1“'), 'curly quotes'],
    ['JSON that is cut', json(CLAIMS).slice(0, -1), 'ends too early'],
    ['quoted JSON that is cut', quoted(JSON.stringify(CLAIMS, null, 2).slice(0, 300)), 'too early'],
    ['JSON that is cut in its wrapper', `{"launch":${json(CLAIMS)}`, 'ends too early'],
    ['a token without its last part', tokenOf(CLAIMS).replace(/\.[^.]*$/, ''), 'ends too early'],
    ['a wrapped token that is cut', wrapped(tokenOf(CLAIMS).slice(0, 200), 76), 'too early'],
    ['an error before the end', `{"iss" 5,${json(CLAIMS).slice(1)}`, 'line 1, column 8'],
  ])('are not found in %s, and the error names the problem', (_name, text, fault) => {
    expect(read(text)).toMatch(`fault: `);
    expect(read(text)).toContain(fault);
  });

  test('are not quoted in an error, since they contain the token', () => {
    for (const text of [json(CLAIMS).slice(0, -1), `{"api":{"token":"secret"}`, '"secret"']) {
      expect(read(text)).toMatch(/^fault: /);
      expect(read(text)).not.toContain('secret');
    }
  });

  test('do not change the prototype of objects', () => {
    const text =
      '{"api":{},"__proto__":{"polluted":1},"api.__proto__":{"polluted":1},"__proto__.polluted":1,"constructor.prototype":{"polluted":1}}';
    const claims = read(text);
    expect(typeof claims).toBe('object');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect((claims as Claims).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(claims)).toBe(Object.prototype);
  });

  test('may be deeply nested or have many members', () => {
    const deep = (levels: number): string =>
      `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)},"iss":"x"}`;
    expect(read(deep(1000))).toMatchObject({ iss: 'x' });
    for (const text of [deep(1001), deep(50_000), `e30.${btoa(deep(50_000))}.`]) {
      expect(read(text)).toBe('fault: it has more than 1000 levels: flatten the nesting');
    }
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, {}]));
    expect(read(json({ ...wide, launch: CLAIMS }))).toEqual(CLAIMS);
  });
});

describe('readLaunch', () => {
  test('reads the claims that lectern uses', () => {
    expect(readLaunch(CLAIMS)).toEqual({
      iss: base,
      token: 'secret',
      expires: 1_795_000_000_000,
      idle: 43_200,
      storage: CLAIMS.storage,
      files: CLAIMS.files,
      gradeSubmit: `${base}/contexts/c1/members/m1`,
      member: 'm1',
      groups: ['instructor', 'Section 2'],
      fullName: 'Åse Berg',
      location: 'l1',
      context: 'c1',
      course: 'Biology 語',
      provision: CLAIMS.provision,
      claims: CLAIMS,
    });
  });

  test('reads the parent rows of a provision request', () => {
    const storage = { parent_context: `${base}/p/c`, parent_location: `${base}/p/l` };
    expect(readLaunch({ storage }).storage).toEqual(storage);
  });

  test('ignores rows that the contract does not name', () => {
    const storage = { context: 'u1', member: '', course: 'u2', toString: 'u3' };
    expect(readLaunch({ storage }).storage).toEqual({ context: 'u1' });
  });

  test.each([
    ['a null claim', { grade: { submit: null } }, null],
    ['a URL', { grade: { submit: 'https://h/' } }, 'https://h/'],
    ['an empty string', { grade: { submit: '' } }, undefined],
    ['false, as the former grade_passback', { grade: { submit: false } }, undefined],
    ['an absent claim', { grade: {} }, undefined],
    ['a null grade', { grade: null }, undefined],
    ['nothing', {}, undefined],
  ])('reads grade.submit of %s', (_name, claims, expected) => {
    expect(readLaunch(claims).gradeSubmit).toBe(expected);
  });

  test.each([
    ['a course that is a string', { course: 'Biology' }, 'Biology'],
    ['a course with a title', { course: { title: 'Biology' } }, 'Biology'],
    ['a course without a title', { course: { label: 'B' } }, undefined],
  ])('reads the title of %s', (_name, claims, expected) => {
    expect(readLaunch(claims).course).toBe(expected);
  });

  // What is absent or of another type is undefined, so that a command refuses with the claim's name.
  test.each<[string, unknown]>([
    ['null', null],
    ['a number', 5],
    ['true', true],
    ['a text', 'x'],
    ['an empty string', ''],
    ['a list', [{ token: 'x', context: 'x', member: 'x', submit: 'x', id: 'x' }]],
    ['an object with other members', { token: 1, context: [], member: {}, submit: 5, id: null }],
    ['nothing', undefined],
  ])('ignores a claim that is %s instead of an object', (_name, value) => {
    const names = ['api', 'storage', 'files', 'grade', 'user', 'location', 'provision'];
    const claims = Object.fromEntries(names.map((name) => [name, value]));
    expect(readLaunch(claims)).toEqual({
      iss: undefined,
      token: undefined,
      expires: undefined,
      idle: undefined,
      storage: {},
      files: {},
      gradeSubmit: undefined,
      member: undefined,
      groups: undefined,
      fullName: undefined,
      location: undefined,
      context: undefined,
      course: undefined,
      provision: {},
      claims,
    });
  });

  test.each<[unknown, readonly string[] | undefined]>([
    [
      ['a', 5, null, 'b'],
      ['a', 'b'],
    ],
    [[], []],
    ['manager', undefined],
    [{ 0: 'manager' }, undefined],
    [null, undefined],
  ])('reads the groups %j as %j', (groups, expected) => {
    expect(readLaunch({ user: { groups } }).groups).toEqual(expected);
  });
});

describe('isStaff', () => {
  test('depends on three groups', () => {
    expect(STAFF_GROUPS).toEqual(['manager', 'instructor', 'assistant']);
  });

  test.each([
    [['manager'], true],
    [['instructor'], true],
    [['assistant'], true],
    [['Section 2', 'assistant'], true],
    [['student'], false],
    [['Manager'], false],
    [['managers'], false],
    [['instructor '], false],
    [[], false],
  ])('for %j returns %s', (groups, expected) => {
    expect(isStaff(readLaunch({ user: { groups } }))).toBe(expected);
  });

  test.each([{}, { user: {} }, { user: { groups: 'manager' } }])(
    'returns undefined for %j',
    (claims) => {
      expect(isStaff(readLaunch(claims))).toBeUndefined();
    },
  );
});

describe('isProvisionRequest', () => {
  const provision = { context: `${base}/provision/c` };
  const storage = urls('rows');

  test.each<[string, Claims, boolean]>([
    ['a request that provisions a context', { api: {}, storage, provision }, true],
    ['a request that provisions a location', { provision: { location: 'u' } }, true],
    ['a request of a copied course', { storage: { parent_context: 'u' }, provision }, true],
    ['a request with a parent row only', { storage: { parent_location: 'u' } }, true],
    ['a request without a place for grades', { provision, grade: { submit: null } }, true],
    ['a launch', CLAIMS, false],
    ['a launch with parent rows', { ...CLAIMS, storage: { parent_context: 'u' } }, false],
    ['a launch without user.member', { provision, user: { groups: ['student'] } }, false],
    ['a launch with a place for grades', { provision, grade: { submit: 'u' } }, false],
    ['a launch without provision', { api: { token: 't' }, storage }, false],
    ['a launch with an empty provision', { provision: {} }, false],
    ['a launch with a malformed provision', { provision: { context: true } }, false],
    ['nothing', {}, false],
  ])('decides for %s', (_name, claims, expected) => {
    expect(isProvisionRequest(readLaunch(claims))).toBe(expected);
  });
});
