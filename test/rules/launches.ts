import type { Code } from '../../src/contract/index.ts';
import {
  BASE,
  NOW,
  provisionRequest,
  staffLaunch,
  studentLaunch,
  type Tree,
} from '../validator/launches.ts';

type Changes = Readonly<Record<string, unknown>>;

/** A launch that is spoilt by a change of its claims, and what is found then. */
export interface LaunchRule {
  readonly code: Code;
  readonly path: string;
  readonly from: () => Tree;
  /** undefined takes a claim away. */
  readonly changes: Changes;
}

/** The values of claims that have a finding at that claim. */
type Spoilt = Partial<Record<Code, Readonly<Record<string, readonly unknown[]>>>>;

const HOUR_MS = 3_600_000;
const NONE = [undefined];
const ACCOUNT = `${BASE}/account/v1/users/u/s`;

const OF_STAFF: Spoilt = {
  // What is missing or malformed is refused; what is only unusual is not.
  'launch.claim_missing': {
    'api.token': NONE,
    storage: NONE,
    'storage.member': NONE,
    'files.context': NONE,
    'grade.submit': NONE,
    'user.member': NONE,
    'user.groups': NONE,
  },
  'launch.claim_malformed': {
    'api.token': [7, ''],
    storage: [[]],
    'storage.context': [{}],
    files: ['all of them'],
    'grade.submit': [false],
    'user.groups': ['instructor', ['instructor', 4]],
    'user.member': [12],
  },
  'launch.claim_absent': { iss: NONE, context: NONE, 'location.id': NONE },
  'launch.claim_unexpected': {
    context: [{ id: 'c-1' }],
    iss: ['the service'],
    'location.extid': [4],
    'user.email': [['a@b.example']],
  },
  'launch.row_unknown': { 'storage.memberLocation': [`${BASE}/x`], 'files.course': [`${BASE}/x`] },
  'launch.token_unusable': {
    'api.token': [
      'Bearer tok',
      'tok\n',
      'tök',
      '(hidden, 46 characters)',
      '***',
      '[FILTERED]',
      '<token>',
      '$TOKEN',
      'lt_ab...',
    ],
  },
  // URLs
  'launch.url_malformed': {
    'storage.context': ['/data/rows'],
    'files.member': ['https://me@tools.example/f'],
    'grade.submit': ['https://tools.example/a b'],
  },
  'launch.url_not_https': { 'storage.context': ['http://tools.example/x'] },
  'launch.url_other_origin': {
    'files.member': ['https://evil.example/x', 'https://tools.example:8443/x'],
  },
  'launch.url_repeated': { 'files.member': [`${BASE}/data/member/rows`] },
  'launch.iss_lms': {
    iss: [
      'https://canvas.instructure.com',
      'https://school.instructure.com:8443',
      'https://school.brightspace.com',
      'https://moodle.school.example/',
    ],
  },
  'launch.grade_null': { 'grade.submit': [null] },
  'launch.grade_account': { 'grade.submit': [ACCOUNT] },
  'launch.grade_other_shape': { 'grade.submit': [`${BASE}/scores/m-1`] },
  'launch.grade_member_absent': { 'grade.submit': [`${BASE}/contexts/c-1/members/x`] },
  'launch.grade_member_twice': { 'grade.submit': [`${BASE}/contexts/c-1/m-1/m-1`] },
  'launch.parent_outside_provision': { 'storage.parent_context': [`${BASE}/p`] },
  'launch.url_keyed_on_launch_id': {
    'grade.submit': [`${BASE}/contexts/c-1/members/m-1/scores?launch=launch-7`],
  },
  // People
  'launch.staff_data_missing': { 'user.email': [null], 'user.given_name': NONE },
  'launch.group_unknown': { 'user.groups': [['instructor', 'wizard'], ['managers']] },
  // Lifetime and version
  'launch.expires_guess': { 'api.expires': [NOW] },
  'launch.idle_guess': { 'api.idle': [43_200] },
  'launch.lifetime_unreadable': {
    'api.expires': ['tomorrow', '2026-02-30T08:00:00Z'],
    'api.idle': [-1, { hours: 12 }],
  },
  'launch.expires_passed': { 'api.expires': [NOW, '2026-10-14T09:59:59Z', NOW / 1000 - 60] },
  'launch.carrier_expired': { exp: [NOW / 1000] },
  'launch.upgrade_offered': { version: [{ upgrade: 4 }, { current: '3', upgrade: { to: '4' } }] },
  // "Contract changes"
  'launch.claim_outdated': {
    grade_passback: [true],
    'user.role': ['student'],
    resource_link_id: ['r'],
    'organization.id': ['o'],
    'location.params': [{}],
    params: [{}],
  },
  'launch.claim_predates': { files: NONE, version: NONE },
  'launch.launch_id': { launch_id: ['x'] },
};

const OF_STUDENTS: Spoilt = {
  'launch.student_personal_data': {
    'user.email': ['a@b.example'],
    'user.nickname': ['Bo'],
    name: ['Bo'],
  },
  'launch.group_unknown': { 'user.groups': [['Instructor']] },
};

const OF_REQUESTS: Spoilt = {
  'launch.claim_missing': { 'api.token': NONE },
  'launch.claim_malformed': { 'provision.context': [null] },
  'launch.claim_outdated': { 'user.role': ['x'] },
};

const spoilt = (from: () => Tree, codes: Spoilt): LaunchRule[] =>
  Object.entries(codes).flatMap(([code, claims]) =>
    Object.entries(claims).flatMap(([path, values]) =>
      values.map((value) => ({ code: code as Code, path, from, changes: { [path]: value } })),
    ),
  );

/** Those that are found at another claim than the one that changed. */
const ELSEWHERE: readonly [code: Code, path: string, changes: Changes, from?: () => Tree][] = [
  ['launch.claim_missing', 'api.token', { api: undefined }],
  ['launch.claim_missing', 'provision.context', { provision: {} }, provisionRequest],
  ['launch.urls_differ', 'files.member', { iss: undefined, 'files.member': 'https://b.example/' }],
  ['launch.student_personal_data', 'user.full_name', { 'user.groups': ['student'] }],
  ['launch.provision_age_unknown', 'api.token', { 'api.expires': null }, provisionRequest],
  ['launch.provision_ended', 'api.token', { 'api.expires': NOW }, provisionRequest],
  ['launch.provision_ended', 'api.token', { iat: (NOW - 3 * HOUR_MS) / 1000 }, provisionRequest],
];

/** "Launch claims". */
export const LAUNCHES: readonly LaunchRule[] = [
  ...spoilt(staffLaunch, OF_STAFF),
  ...spoilt(studentLaunch, OF_STUDENTS),
  ...spoilt(provisionRequest, OF_REQUESTS),
  ...ELSEWHERE.map(([code, path, changes, from = staffLaunch]) => ({ code, path, changes, from })),
];

/** What a clean launch has too: a claim whose value is a guess, and one that is not needed. */
export const ALWAYS: readonly string[] = [
  'launch.expires_guess api.expires',
  'launch.idle_guess api.idle',
  'launch.launch_id launch_id',
];

/** The newest contract that claims agree with, after some changes. */
export const CONTRACTS: readonly [name: string, changes: Changes, contract: string | null][] = [
  ['all claims', {}, '2026-10-13'],
  ['no version', { version: undefined }, '2026-10-11'],
  ['no files', { files: undefined }, '2026-09-21'],
  ['grade_passback', { grade_passback: true }, '2026-09-04'],
  ['no grade.submit', { grade: undefined }, '2026-09-04'],
  ['location.params', { 'location.params': {} }, '2026-08-25'],
  ['user.role', { 'user.role': 'student' }, null],
  ['no user.groups', { 'user.groups': undefined }, null],
];
