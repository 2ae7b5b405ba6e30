import { describe, expect, test } from 'vitest';
import { decodeClaims, decodeLaunch, validateLaunch } from '../../src/validator/index.ts';
import { BASE, NOW, staffLaunch, type Tree, withClaims } from './launches.ts';

const API = '"api":{"token":"t","token":"u"}';
const lost = (carrier: string | Uint8Array): [string, number | null, number | null][] =>
  validateLaunch(carrier)
    .filter(({ code }) => /^body\.|encoding/.test(code))
    .map(({ code, path, line, column }) => [`${code} ${path}`.trim(), line, column]);

test.each<[string, string | Uint8Array, [string, number | null, number | null][]]>([
  ['a duplicate name', `{\n${API}}`, [['body.duplicate_name api.token', 2, 28]]],
  [
    'a duplicate claim with dots',
    '{"api.token":"t","api.token":"u"}',
    [['body.duplicate_name api.token', 1, 30]],
  ],
  [
    'a duplicate name under a wrapper',
    `{"data":{${API}}}`,
    [['body.duplicate_name api.token', 1, 37]],
  ],
  ['a duplicate wrapper', '{"data":1,"data":{"iss":"x"}}', [['body.duplicate_name /data', 1, 18]]],
  [
    'a duplicate name in a token',
    `e30.${Buffer.from(`{${API}}`).toString('base64url')}.x`,
    [['body.duplicate_name api.token', null, null]],
  ],
  ['digits', '{"api":{"expires":1e400}}', [['body.lossy_number api.expires', 1, 19]]],
  [
    'bytes that are not UTF-8',
    Buffer.from('{"launch_id":\n"\xff"}', 'latin1'),
    [['launch.encoding', 2, 2]],
  ],
  ['a U+FFFD character, which is not lost', Buffer.from('\ufeff{"launch_id":"\ufffd"}'), []],
])('data that is lost by reading a launch is reported for %s', (_, carrier, expected) => {
  expect(lost(carrier)).toEqual(expected);
});

describe('the origin of a launch', () => {
  test.each(['http://127.0.0.1:4010', 'http://localhost:4010', 'http://[::1]:4010'])(
    'may be an emulator at %s',
    (origin) => {
      const text = JSON.stringify(staffLaunch()).replaceAll(BASE, origin);
      const { findings } = decodeClaims(JSON.parse(text) as Tree, { now: NOW });
      expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    },
  );

  test('ignores the case of a host and its default port', () => {
    const claims = withClaims(staffLaunch(), { iss: 'https://TOOLS.example:443/v1' });
    const { findings } = decodeClaims(claims, { now: NOW });
    expect(findings.filter(({ code }) => code.includes('origin'))).toEqual([]);
  });
});

test.each(['', 'no launch at all', '{"api":', '[1,2]', 'a.b.c'])(
  'validateLaunch reports %j as unreadable',
  (text) => {
    expect(validateLaunch(text).map(({ code }) => code)).toEqual(['launch.unreadable']);
    const decoded = decodeLaunch(text);
    expect('fault' in decoded && decoded.fault).not.toBe('');
  },
);
