import { describe, expect, test } from 'vitest';
import { decodeLaunch } from '../../src/validator/index.ts';
import { staffLaunch, type Tree } from './launches.ts';

const claims = staffLaunch();
const json = JSON.stringify(claims);
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const base64url = (text: string): string => Buffer.from(text).toString('base64url');
const token = (payload: unknown): string =>
  [{ alg: 'RS256', kid: 'k' }, payload].map((part) => base64url(JSON.stringify(part))).join('.') +
  '.c2lnbmF0dXJl';
const jwt = token(claims);

describe('a launch is read from', () => {
  const forms: [string, string, string][] = [
    ['JSON', json, 'json'],
    ['indented JSON', JSON.stringify(claims, null, 2), 'json'],
    ['JSON after a byte order mark', `\ufeff${json}\n`, 'json'],
    ['JSON under a wrapper', JSON.stringify({ claims }), 'json'],
    ['JSON under several wrappers', JSON.stringify({ a: { b: { c: { d: claims } } } }), 'json'],
    ['JSON next to an unrelated user', JSON.stringify({ user: 'bo', launch: claims }), 'json'],
    ['a token', jwt, 'token'],
    ['a token surrounded by white space', `\n ${jwt}\n`, 'token'],
    ['a token without signature', `${jwt.split('.').slice(0, 2).join('.')}.`, 'token'],
    ['a token under a wrapper', token({ 'https://x.example/claims': claims }), 'token'],
    ['a header line', `Authorization: Bearer ${jwt}`, 'token'],
    ['a token in quotes', JSON.stringify(jwt), 'token'],
    ['a token in JSON', JSON.stringify({ id_token: jwt }), 'token'],
    ['a query', `https://tool.example/launch?state=1&token=${jwt}`, 'url'],
    ['a fragment', `https://tool.example/launch#id_token=${jwt}`, 'url'],
    ['a path', `https://tool.example/launch/${jwt}/`, 'url'],
    ['JSON in a query', `https://tool.example/?claims=${encodeURIComponent(json)}`, 'url'],
    ['base64 in a query', `https://tool.example/?l=${encodeURIComponent(base64(json))}`, 'url'],
    ['a form body', `state=abc&launch=${jwt}`, 'form'],
    ['JSON in a form body', new URLSearchParams({ launch: json }).toString(), 'form'],
    ['base64', base64(json), 'base64'],
    ['base64 on several lines', base64(json).replace(/.{76}/g, '$&\r\n'), 'base64'],
    ['base64url', base64url(json), 'base64'],
    ['base64 of a token', base64(jwt), 'base64'],
  ];

  test.each(forms)('%s', (_, text, form) => {
    expect(decodeLaunch(text)).toMatchObject({ form, verified: false, claims });
  });

  test.each(forms.filter(([name]) => name.includes('token')))('%s, with its header', (_, text) => {
    expect(decodeLaunch(text)).toMatchObject({ header: { alg: 'RS256', kid: 'k' } });
  });

  test('names with dots', () => {
    const dotted = { 'api.token': 'tok', 'user.member': 'm', iss: 'https://x.example' };
    expect(decodeLaunch(JSON.stringify(dotted))).toMatchObject({
      claims: { api: { token: 'tok' }, user: { member: 'm' } },
    });
  });
});

describe('no launch is read from', () => {
  const faults: [string, string, RegExp][] = [
    ['nothing', ' \n', /empty/],
    ['words', 'hello there', /neither JSON nor/],
    ['JSON without claims', '{"hello":1}', /no launch claims/],
    ['a number', '12', /neither/],
    ['a token without claims', token({ hello: 1 }), /no launch claims/],
    ['three words with dots', 'tok.abc.def', /base64url/],
    ['an encrypted token', 'a.b.c.d.e', /encrypted/],
    ['a URL', 'https://tools.example/launch?x=1', /URL without a launch/],
    ['base64 of another text', base64('hello there, you'), /neither/],
    [
      'claims that are nested too deeply',
      JSON.stringify({ a: { b: { c: { d: { e: claims } } } } }),
      /no launch/,
    ],
  ];

  test.each(faults)('%s', (_, text, fault) => {
    const decoded = decodeLaunch(text);
    expect('fault' in decoded ? decoded.fault : '').toMatch(fault);
  });

  test('malformed JSON, whose error has a position and quotes nothing', () => {
    const decoded = decodeLaunch('{"api": {\n  "token": canary_secret }}');
    expect(JSON.stringify(decoded)).toContain('line 2, column 12');
    expect(JSON.stringify(decoded)).not.toContain('canary');
  });
});

test('decodeLaunch stops at nested encodings', () => {
  let text = json;
  for (let level = 0; level < 6; level++) text = base64(text);
  expect('fault' in decodeLaunch(text)).toBe(true);
});

test('decodeLaunch treats the names of a prototype like other names', () => {
  const text = '{"__proto__":{"api":{"token":"x"}},"constructor":{"prototype":{"user":1}}}';
  const decoded = decodeLaunch(text) as unknown as { claims: Tree };
  expect(Object.getPrototypeOf(decoded.claims)).toBe(Object.prototype);
  expect(({} as Tree).api).toBeUndefined();
});
