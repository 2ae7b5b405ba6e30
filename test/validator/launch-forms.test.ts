import { describe, expect, test } from 'vitest';
import { decodeLaunch } from '../../src/validator/index.ts';
import { staffLaunch } from './launches.ts';

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
    ['a token', jwt, 'token'],
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
