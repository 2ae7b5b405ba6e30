import { ROW_KINDS } from '../../../contract/index.ts';
import { decodeClaims, validateLaunch } from '../../../validator/launch.ts';
import { type Example, type Examples, byValidator } from './example.ts';

type Claims = Record<string, unknown>;

const BASE = 'https://service.example';
const GRADES = `${BASE}/contexts/c-1/members/m-1/grades`;
/** The moment at which the examples are looked at, in ms since the epoch. */
const NOW = Date.parse('2026-10-14T10:00:00Z');
const HOUR_MS = 3_600_000;

const addresses = (leaf: string, names: readonly string[]): Claims =>
  Object.fromEntries(names.map((name) => [name, `${BASE}/${leaf}/${name}`]));

const STAFF: Claims = {
  iss: BASE,
  api: { token: 'example-token', expires: NOW + HOUR_MS, idle: 7200 },
  user: {
    member: 'm-1',
    groups: ['instructor'],
    given_name: 'Mara',
    family_name: 'Lindqvist',
    full_name: 'Mara Lindqvist',
    email: 'mara@campus.example',
  },
  context: 'c-1',
  location: { id: 'l-1', extid: 'essay' },
  storage: addresses('rows', ROW_KINDS),
  files: addresses('files', ROW_KINDS),
  grade: { submit: GRADES },
  version: { number: 3, upgrade: null },
};

const NOBODY = { given_name: null, family_name: null, full_name: null, email: null };
const STUDENT: Claims = { ...STAFF, user: { member: 'm-1', groups: ['student'], ...NOBODY } };

const REQUEST: Claims = {
  iss: BASE,
  api: { token: 'example-token', expires: null, idle: null },
  context: 'c-2',
  storage: addresses('rows', ['context', 'location', 'parent_context', 'parent_location']),
  provision: addresses('ready', ['context', 'location']),
};

/** A launch with some claims (`api.token`) as they should not be; undefined takes one away. */
const spoiled =
  (base: Claims, whose: string) =>
  (changes: Claims, contract?: string): Example => {
    const words = Object.entries(changes).map(([path, value]) =>
      value === undefined ? `no ${path}` : `${path} is ${JSON.stringify(value)}`,
    );
    const against = contract === undefined ? '' : `, against the contract of ${contract}`;
    return byValidator(`${whose}: ${words.join(', ')}${against}`, () => {
      const claims = Object.entries(changes).reduce(withClaim, base);
      return decodeClaims(claims, { now: NOW, contract }).findings;
    });
  };

function withClaim(claims: Claims, [path, value]: [string, unknown]): Claims {
  const [name = '', ...rest] = path.split('.');
  if (rest.length === 0) return { ...claims, [name]: value };
  return { ...claims, [name]: withClaim((claims[name] ?? {}) as Claims, [rest.join('.'), value]) };
}

const staff = spoiled(STAFF, 'staff');
const student = spoiled(STUDENT, 'student');
const request = spoiled(REQUEST, 'provision request');

export const LAUNCH_EXAMPLES: Examples<'launch'> = {
  'launch.unreadable': byValidator('Hello', () => validateLaunch('Hello')),
  'launch.encoding': byValidator('{"launch_id":"…"} with a byte 0xff for the …', () =>
    validateLaunch(Buffer.from('{"launch_id":"\xff"}', 'latin1')),
  ),
  'launch.claim_missing': staff({ 'api.token': undefined }),
  'launch.claim_malformed': staff({ 'user.groups': 'instructor' }),
  'launch.claim_absent': staff({ iss: undefined }),
  'launch.claim_unexpected': staff({ context: { id: 'c-1' } }),
  'launch.row_unknown': staff({ 'storage.memberLocation': `${BASE}/rows/x` }),
  'launch.token_unusable': staff({ 'api.token': 'Bearer …' }),

  'launch.url_malformed': staff({ 'storage.context': '/rows/context' }),
  'launch.url_not_https': staff({ 'storage.context': 'http://service.example/rows/context' }),
  'launch.url_other_origin': staff({ 'files.member': 'https://elsewhere.example/files' }),
  'launch.urls_differ': staff({ iss: undefined, 'files.member': 'https://elsewhere.example/f' }),
  'launch.url_repeated': staff({ 'files.member': `${BASE}/rows/member` }),
  'launch.iss_lms': staff({ iss: 'https://canvas.instructure.com' }),

  'launch.grade_null': staff({ 'grade.submit': null }),
  'launch.grade_account': staff({ 'grade.submit': `${BASE}/account/v1/users/u-1/grades` }),
  'launch.grade_other_shape': staff({ 'grade.submit': `${BASE}/grades/m-1` }),
  'launch.grade_member_absent': staff({ 'grade.submit': `${BASE}/contexts/c-1/grades` }),
  'launch.grade_member_twice': staff({ 'grade.submit': `${BASE}/contexts/c-1/m-1/m-1/grades` }),

  'launch.student_personal_data': student({ 'user.email': 'bo@campus.example' }),
  'launch.staff_data_missing': staff({ 'user.email': null }),
  'launch.group_unknown': staff({ 'user.groups': ['instructor', 'grader'] }),

  'launch.parent_outside_provision': staff({ 'storage.parent_context': `${BASE}/rows/parent` }),
  'launch.provision_age_unknown': request({ 'api.expires': null }),
  'launch.provision_ended': request({ iat: (NOW - 4 * HOUR_MS) / 1000 }),

  'launch.expires_guess': staff({ 'api.expires': NOW + HOUR_MS }),
  'launch.idle_guess': staff({ 'api.idle': 7200 }),
  'launch.lifetime_unreadable': staff({ 'api.expires': 'tomorrow' }),
  'launch.expires_passed': staff({ 'api.expires': NOW - HOUR_MS }),
  'launch.carrier_expired': staff({ exp: (NOW - HOUR_MS) / 1000 }),

  'launch.upgrade_offered': staff({ 'version.upgrade': 4 }),
  'launch.claim_outdated': staff({ 'user.role': 'instructor' }),
  'launch.claim_predates': staff({ files: undefined }),
  'launch.claim_too_new': staff({ 'version.number': 3 }, '2026-09-21'),
  'launch.launch_id': staff({ launch_id: 'launch-7' }),
  'launch.url_keyed_on_launch_id': staff({
    launch_id: 'launch-7',
    'grade.submit': `${GRADES}?launch=launch-7`,
  }),
};
