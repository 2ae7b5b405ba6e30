import { describe, expect, test } from 'vitest';
import { CODES, type Code } from '../../src/contract/index.ts';
import { decodeClaims, decodeLaunch, validateLaunch } from '../../src/validator/index.ts';
import {
  BASE,
  NOW,
  provisionRequest,
  staffLaunch,
  studentLaunch,
  type Tree,
  withClaims,
} from './launches.ts';

type Changes = Readonly<Record<string, unknown>>;
/** A code, the claim it is found at, what spoils the launch, and of which launch (by default staff). */
type Case = [code: Code, path: string, spoil: Changes, from?: () => Tree];

const found = (claims: Tree): string[] =>
  decodeClaims(claims, { now: NOW }).findings.map(({ code, path }) => `${code} ${path}`);

const hours = (count: number): number => count * 3_600_000;

describe('a clean launch', () => {
  const clean: [string, () => Tree, string][] = [
    ['a staff launch', staffLaunch, 'launch'],
    ['a student launch', studentLaunch, 'launch'],
    ['a provision request', provisionRequest, 'provision_request'],
  ];

  test.each(clean)('has no error and matches the newest contract: %s', (_, make, kind) => {
    const decoded = decodeClaims(make(), { now: NOW });
    expect(decoded.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(decoded).toMatchObject({ kind, verified: false, contract: '2026-10-13' });
  });

  test('has only the findings about guessed lifetimes and launch_id', () => {
    expect(found(staffLaunch())).toEqual([
      'launch.expires_guess api.expires',
      'launch.idle_guess api.idle',
      'launch.launch_id launch_id',
    ]);
    expect(found(provisionRequest())).toEqual(['launch.expires_guess api.expires']);
  });
});

describe('data that is lost by reading a launch is reported', () => {
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
    [
      'a duplicate wrapper',
      '{"data":1,"data":{"iss":"x"}}',
      [['body.duplicate_name /data', 1, 18]],
    ],
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
  ])('for %s', (_, carrier, expected) => {
    expect(lost(carrier)).toEqual(expected);
  });
});

describe('the findings of a launch', () => {
  const shape: Case[] = [
    ['launch.claim_missing', 'api.token', { 'api.token': undefined }],
    ['launch.claim_missing', 'api.token', { api: undefined }],
    ['launch.claim_missing', 'storage', { storage: undefined }],
    ['launch.claim_missing', 'storage.member', { 'storage.member': undefined }],
    ['launch.claim_missing', 'files.context', { 'files.context': undefined }],
    ['launch.claim_missing', 'grade.submit', { grade: {} }],
    ['launch.claim_missing', 'user.member', { 'user.member': undefined }],
    ['launch.claim_missing', 'user.groups', { 'user.groups': undefined }],
    ['launch.claim_missing', 'provision.context', { provision: {} }, provisionRequest],
    ['launch.claim_missing', 'api.token', { api: {} }, provisionRequest],
    ['launch.claim_malformed', 'api.token', { 'api.token': 7 }],
    ['launch.claim_malformed', 'api.token', { 'api.token': '' }],
    ['launch.claim_malformed', 'storage', { storage: [] }],
    ['launch.claim_malformed', 'storage.context', { 'storage.context': {} }],
    ['launch.claim_malformed', 'files', { files: 'all of them' }],
    ['launch.claim_malformed', 'grade.submit', { 'grade.submit': false }],
    ['launch.claim_malformed', 'user.groups', { 'user.groups': 'instructor' }],
    ['launch.claim_malformed', 'user.groups', { 'user.groups': ['instructor', 4] }],
    ['launch.claim_malformed', 'user.member', { 'user.member': 12 }],
    [
      'launch.claim_malformed',
      'provision.context',
      { 'provision.context': null },
      provisionRequest,
    ],
    ['launch.claim_absent', 'iss', { iss: undefined }],
    ['launch.claim_absent', 'context', { context: undefined }],
    ['launch.claim_absent', 'location.id', { location: {} }],
    ['launch.claim_unexpected', 'context', { context: { id: 'c-1' } }],
    ['launch.claim_unexpected', 'iss', { iss: 'the service' }],
    ['launch.claim_unexpected', 'location.extid', { 'location.extid': 4 }],
    ['launch.claim_unexpected', 'user.email', { 'user.email': ['a@b.example'] }],
    ['launch.row_unknown', 'storage.memberLocation', { 'storage.memberLocation': `${BASE}/x` }],
    ['launch.row_unknown', 'files.course', { 'files.course': `${BASE}/x` }],
    ['launch.token_unusable', 'api.token', { 'api.token': 'Bearer tok' }],
    ['launch.token_unusable', 'api.token', { 'api.token': 'tok\n' }],
    ['launch.token_unusable', 'api.token', { 'api.token': 'tök' }],
  ];

  const addresses: Case[] = [
    ['launch.url_malformed', 'storage.context', { 'storage.context': '/data/rows' }],
    ['launch.url_malformed', 'files.member', { 'files.member': 'https://me@tools.example/f' }],
    ['launch.url_malformed', 'grade.submit', { 'grade.submit': 'https://tools.example/a b' }],
    ['launch.url_not_https', 'storage.context', { 'storage.context': 'http://tools.example/x' }],
    ['launch.url_other_origin', 'files.member', { 'files.member': 'https://evil.example/x' }],
    ['launch.url_other_origin', 'files.member', { 'files.member': 'https://tools.example:8443/x' }],
    [
      'launch.urls_differ',
      'files.member',
      { iss: undefined, 'files.member': 'https://b.example/' },
    ],
    ['launch.url_repeated', 'files.member', { 'files.member': `${BASE}/data/member/rows` }],
    ['launch.iss_lms', 'iss', { iss: 'https://canvas.instructure.com' }],
    ['launch.iss_lms', 'iss', { iss: 'https://school.brightspace.com' }],
    ['launch.iss_lms', 'iss', { iss: 'https://moodle.school.example/' }],
    ['launch.grade_null', 'grade.submit', { 'grade.submit': null }],
    ['launch.grade_account', 'grade.submit', { 'grade.submit': `${BASE}/account/v1/users/u/s` }],
    ['launch.grade_other_shape', 'grade.submit', { 'grade.submit': `${BASE}/scores/m-1` }],
    [
      'launch.grade_member_absent',
      'grade.submit',
      { 'grade.submit': `${BASE}/contexts/c-1/members/x` },
    ],
    [
      'launch.grade_member_twice',
      'grade.submit',
      { 'grade.submit': `${BASE}/contexts/c-1/m-1/m-1` },
    ],
    [
      'launch.parent_outside_provision',
      'storage.parent_context',
      { 'storage.parent_context': `${BASE}/p` },
    ],
    [
      'launch.url_keyed_on_launch_id',
      'grade.submit',
      { 'grade.submit': `${BASE}/contexts/c-1/members/m-1/scores?launch=launch-7` },
    ],
  ];

  const people: Case[] = [
    ['launch.student_personal_data', 'user.email', { 'user.email': 'a@b.example' }, studentLaunch],
    ['launch.student_personal_data', 'user.full_name', { 'user.groups': ['student'] }],
    ['launch.student_personal_data', 'user.nickname', { 'user.nickname': 'Bo' }, studentLaunch],
    ['launch.student_personal_data', 'name', { name: 'Bo' }, studentLaunch],
    ['launch.staff_data_missing', 'user.email', { 'user.email': null }],
    ['launch.staff_data_missing', 'user.given_name', { 'user.given_name': undefined }],
    ['launch.group_unknown', 'user.groups', { 'user.groups': ['instructor', 'wizard'] }],
    ['launch.group_unknown', 'user.groups', { 'user.groups': ['Instructor'] }, studentLaunch],
  ];

  const lifetime: Case[] = [
    ['launch.expires_guess', 'api.expires', { 'api.expires': NOW }],
    ['launch.idle_guess', 'api.idle', { 'api.idle': 43_200 }],
    ['launch.lifetime_unreadable', 'api.expires', { 'api.expires': 'tomorrow' }],
    ['launch.lifetime_unreadable', 'api.expires', { 'api.expires': '2026-02-30T08:00:00Z' }],
    ['launch.lifetime_unreadable', 'api.idle', { 'api.idle': -1 }],
    ['launch.lifetime_unreadable', 'api.idle', { 'api.idle': { hours: 12 } }],
    ['launch.expires_passed', 'api.expires', { 'api.expires': NOW }],
    ['launch.expires_passed', 'api.expires', { 'api.expires': '2026-10-14T09:59:59Z' }],
    ['launch.expires_passed', 'api.expires', { 'api.expires': NOW / 1000 - 60 }],
    ['launch.carrier_expired', 'exp', { exp: NOW / 1000 }],
    ['launch.provision_age_unknown', 'api.token', { 'api.expires': null }, provisionRequest],
    ['launch.provision_ended', 'api.token', { 'api.expires': NOW }, provisionRequest],
    ['launch.provision_ended', 'api.token', { iat: (NOW - hours(3)) / 1000 }, provisionRequest],
    ['launch.upgrade_offered', 'version', { 'version.upgrade': 4 }],
    ['launch.upgrade_offered', 'version', { version: { current: '3', upgrade: { to: '4' } } }],
  ];

  const dated: Case[] = [
    ['launch.claim_outdated', 'grade_passback', { grade_passback: true }],
    ['launch.claim_outdated', 'user.role', { 'user.role': 'student' }],
    ['launch.claim_outdated', 'resource_link_id', { resource_link_id: 'r' }],
    ['launch.claim_outdated', 'organization.id', { 'organization.id': 'o' }],
    ['launch.claim_outdated', 'location.params', { 'location.params': {} }],
    ['launch.claim_outdated', 'params', { params: {} }],
    ['launch.claim_outdated', 'user.role', { 'user.role': 'x' }, provisionRequest],
    ['launch.claim_predates', 'files', { files: undefined }],
    ['launch.claim_predates', 'api.idle', { 'api.idle': undefined }],
    ['launch.claim_predates', 'api.expires', { 'api.expires': undefined }],
    ['launch.claim_predates', 'version', { version: undefined }],
    ['launch.launch_id', 'launch_id', { launch_id: 'x' }],
  ];

  const cases = [...shape, ...addresses, ...people, ...lifetime, ...dated];

  test.each(cases)('contain %s at %s for %j', (code, path, spoil, from = staffLaunch) => {
    expect(found(withClaims(from(), spoil))).toContain(`${code} ${path}`);
  });

  /** Codes that a clean launch has: what takes them away. */
  const alwaysThere: Record<string, Changes> = {
    'launch.expires_guess': { 'api.expires': undefined },
    'launch.idle_guess': { 'api.idle': undefined },
    'launch.launch_id': { launch_id: undefined },
  };

  test.each(cases)(
    'do not contain %s at %s for a clean launch',
    (code, path, _spoil, from = staffLaunch) => {
      const right = withClaims(from(), alwaysThere[code] ?? {});
      // The last case of a name in a student's launch begins with a staff one, which may have it.
      expect(found(right)).not.toContain(`${code} ${path}`);
    },
  );

  test('cover every launch code, except those of other tests', () => {
    const produced = new Set<string>(cases.map(([code]) => code));
    const elsewhere = [
      'launch.unreadable',
      'launch.encoding',
      'launch.several',
      'launch.claim_too_new',
    ];
    const all = Object.keys(CODES).filter((code) => code.startsWith('launch.'));
    expect(all.filter((code) => !produced.has(code)).sort()).toEqual(elsewhere.sort());
  });

  test('have errors first', () => {
    const severities = decodeClaims(withClaims(staffLaunch(), { storage: 4 }), {
      now: NOW,
    }).findings.map(({ severity }) => severity);
    expect(severities).toEqual(severities.toSorted());
    expect(severities[0]).toBe('error');
  });

  test('each have a reason and a hint', () => {
    for (const [, , spoil, from = staffLaunch] of cases) {
      for (const finding of decodeClaims(withClaims(from(), spoil), { now: NOW }).findings) {
        const words = `${finding.message} ${finding.rule} ${finding.hint}`;
        expect(words).not.toMatch(/undefined|\[object|NaN/);
        expect(finding.hint).not.toBe('');
      }
    }
  });
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
    expect(found(claims).join()).not.toContain('origin');
  });
});

describe('decodeLaunch detects the kind of', () => {
  const kinds: [string, Changes, () => Tree, string][] = [
    ['a launch with parent rows', { 'storage.parent_context': `${BASE}/p` }, staffLaunch, 'launch'],
    ['a launch with finish addresses', { 'provision.context': `${BASE}/p` }, staffLaunch, 'launch'],
    [
      'a provision request without parent rows',
      { storage: undefined },
      provisionRequest,
      'provision_request',
    ],
    [
      'a provision request with parent rows only',
      { provision: undefined },
      provisionRequest,
      'provision_request',
    ],
  ];

  test.each(kinds)('%s', (_, changes, from, kind) => {
    expect(decodeClaims(withClaims(from(), changes))).toMatchObject({ kind });
  });
});

describe('validateLaunch', () => {
  test('gives no position in a launch that was found in another text', () => {
    const text = `${JSON.stringify(withClaims(staffLaunch(), { 'api.token': 7 }))} }`;
    const [finding] = validateLaunch(text, { now: NOW });
    expect(finding).toMatchObject({ path: 'api.token', line: null, column: null });
  });

  test('gives the line and column of a claim', () => {
    const text = JSON.stringify({ data: withClaims(staffLaunch(), { 'api.token': 7 }) }, null, 2);
    const [finding] = validateLaunch(`\n${text}`, { now: NOW });
    const line = text.split('\n').findIndex((each) => each.includes('"token"')) + 2;
    expect(finding).toMatchObject({ path: 'api.token', line, column: 16 });
  });

  test('gives the position of names with dots, also after a byte order mark', () => {
    const text = '\ufeff{"api.token": 7, "iss": "https://tools.example"}\u00a0';
    const places = validateLaunch(text).map(({ path, line, column }) => [path, line, column]);
    expect(places).toContainEqual(['api.token', 1, 16]);
  });

  test('gives no position of a missing claim', () => {
    const [finding] = validateLaunch('{"api":{}}');
    expect(finding).toMatchObject({ path: 'api.token', line: null, column: null });
  });

  test.each(['', 'no launch at all', '{"api":', '[1,2]', 'a.b.c'])(
    'reports %j as unreadable',
    (text) => {
      expect(validateLaunch(text).map(({ code }) => code)).toEqual(['launch.unreadable']);
      const decoded = decodeLaunch(text);
      expect('fault' in decoded && decoded.fault).not.toBe('');
    },
  );
});
