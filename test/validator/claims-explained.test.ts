import { describe, expect, test } from 'vitest';
import { decodeClaims, explainClaims, maskClaims } from '../../src/validator/index.ts';
import type { ClaimEntry } from '../../src/validator/index.ts';
import {
  NOW,
  provisionRequest,
  staffLaunch,
  studentLaunch,
  type Tree,
  withClaims,
} from './launches.ts';

const entriesOf = (claims: Tree, showSecrets = false): ClaimEntry[] =>
  explainClaims(claims, { now: NOW, showSecrets }).flatMap(({ entries }) => entries);

const entryOf = (claims: Tree, path: string, showSecrets = false): ClaimEntry | undefined =>
  entriesOf(claims, showSecrets).find((entry) => entry.path === path);

test('the groups of explained claims contain every claim once, in a fixed order', () => {
  const groups = explainClaims(withClaims(staffLaunch(), { novel: 1 }), { now: NOW });
  expect(groups.map(({ group }) => group)).toEqual([
    'who',
    'where',
    'URLs and token',
    'lifetime',
    'version',
    'other',
  ]);
  const paths = groups.flatMap(({ entries }) => entries.map(({ path }) => path));
  expect(new Set(paths).size).toBe(paths.length);
  expect(paths).toContain('storage.member_location');
});

describe('the explanation of a claim', () => {
  test.each<[string, () => Tree, string, RegExp]>([
    ['staff', staffLaunch, 'user.groups', /course staff/],
    ['a launch token', staffLaunch, 'api.token', /ends after 12 h without/],
    ['a request token', provisionRequest, 'api.token', /is valid for 3 h/],
    ['api.expires', staffLaunch, 'api.expires', /possibly 2026-10-14T22:00.*12 h from now/],
    [
      'a claim of an older contract',
      () => withClaims(staffLaunch(), { 'organization.id': '1' }),
      'organization.id',
      /^of an older contract; replaced on 2026-08-25 by organization.deployment$/,
    ],
    ['api.idle', staffLaunch, 'api.idle', /possibly 12 h \(seconds\)/],
    ['no idle time', provisionRequest, 'api.idle', /not readable/],
    ['a version', staffLaunch, 'version', /that the course runs$/],
    ['an upgrade', () => withClaims(staffLaunch(), { version: { upgrade: 9 } }), 'version', /: 9$/],
    [
      'no gradebook column',
      () => withClaims(staffLaunch(), { 'grade.submit': null }),
      'grade.submit',
      /null/,
    ],
  ])('is correct for %s', (_, make, path, meaning) => {
    expect(entryOf(make(), path)).toMatchObject({
      meaning: expect.stringMatching(meaning),
      known: true,
    });
  });

  test.each(['novel', 'user.shoe_size', 'storage.course', 'exp', 'params'])(
    'says of %s that it is unknown',
    (path) => {
      const entry = entryOf(withClaims(staffLaunch(), { [path]: 'x' }), path);
      expect(entry).toMatchObject({ value: 'x', known: false });
      expect(entry?.meaning).toMatch(/not in the contract/);
    },
  );

  test('exists for every claim of a clean launch', () => {
    for (const claims of [staffLaunch(), studentLaunch(), provisionRequest()]) {
      expect(entriesOf(claims).filter(({ known }) => !known)).toEqual([]);
    }
  });
});

describe('secrets in claims', () => {
  const signed = 'eyJhbGciOiJub25lIn0.eyJhIjoxfQ.c2lnbmF0dXJl';
  const secrets: [string, unknown][] = [
    ['api.token', 'canary-token'],
    ['lms_access_token', 'canary-token'],
    ['novel', { deep: [{ client_secret: 'canary-token' }] }],
    ['storage.context', 'https://tools.example/x?sig=canary-token'],
    ['api.idle', { api_key: ['canary-token'] }],
    ['note', `see ${signed} for more`],
  ];

  test.each(secrets)('are hidden by default: %s', (path, value) => {
    const claims = withClaims(staffLaunch(), { [path]: value });
    const hidden = entryOf(claims, path);
    expect(hidden?.secret).toBe(true);
    expect(`${JSON.stringify(hidden)}${JSON.stringify(maskClaims(claims))}`).not.toMatch(
      /canary|eyJ/,
    );
    expect(JSON.stringify(entryOf(claims, path, true))).toMatch(/canary|eyJ/);
  });

  test.each([
    ['row?tool=essay&course=biology-101', 'row?tool=essay&course=biology-101'],
    ['row?tool=essay&sig=abc', 'row?tool=essay&sig=(hidden)'],
    ['row?X-Amz-Date=2026&a=b', 'row?X-Amz-Date=(hidden)&a=(hidden)'],
    ['row?tool=3f2b9c01d4e5f6a7', 'row?tool=(hidden)'],
    ['row?tool=a%2Fb&empty=', 'row?tool=(hidden)&empty='],
    ['row?opaque', 'row?(hidden)'],
    ['row?=x&!=y', 'row?(hidden)&(hidden)'],
    ['row?tool=essay#x', 'row?tool=essay#(hidden)'],
  ])('are hidden in addresses: …/%s becomes …/%s', (address, shown) => {
    const whole = (end: string): string => `https://tools.example/${end}`;
    const claims = withClaims(staffLaunch(), { 'storage.context': whole(address) });
    expect(maskClaims(claims)).toMatchObject({ storage: { context: whole(shown) } });
  });

  test('are shown as the length of the token', () => {
    expect(entryOf(staffLaunch(), 'api.token')?.value).toBe('(hidden, 8 characters)');
  });

  test('do not affect other claims, and the claims are not modified', () => {
    const claims = staffLaunch();
    const before = structuredClone(claims);
    const { api, ...rest } = maskClaims(claims);
    const { api: apiBefore, ...restBefore } = before;
    expect(rest).toEqual(restBefore);
    expect(api).toEqual({ ...(apiBefore as Tree), token: '(hidden, 8 characters)' });
    expect(claims).toEqual(before);
  });

  test('are quoted by no finding and no permission', () => {
    const claims = withClaims(staffLaunch(), {
      'api.token': 'canary token',
      'storage.context': 'https://user:canary@tools.example/x?canary',
      'files.member': 'canary://x',
      'grade.submit': 'https://tools.example/contexts/c/canary?sig=canary',
    });
    const { findings, permissions } = decodeClaims(claims, { now: NOW });
    expect(JSON.stringify([findings, permissions])).not.toContain('canary');
  });
});

test('explainClaims accepts claims of any depth and type', () => {
  const nested = (levels: number): unknown =>
    JSON.parse(`${'[1,'.repeat(levels)}2${']'.repeat(levels)}`);
  const deep = nested(1000);
  const odd: Tree = JSON.parse('{"__proto__":{"x":1},"user":{},"api":[],"huge":1e400}') as Tree;
  const claims = { ...odd, deep, storage: { context: deep } };
  expect(entryOf(claims, 'deep')?.value.length).toBeLessThan(500);
  expect(entryOf(claims, 'deep', true)?.value.length).toBe(4001);
  expect(entryOf({ deep: nested(20_000) }, 'deep')?.value.length).toBeLessThan(500);
  expect(entryOf({ deep: nested(20_000) }, 'deep', true)?.value).toBe('(cannot be shown)');
  expect(entryOf(claims, '__proto__')?.value).toBe('{"x":1}');
  expect(entryOf(claims, 'user')?.value).toBe('{}');
  expect(entryOf(claims, 'huge')?.value).toBe('Infinity');
});
