import { HIDDEN } from '../url.ts';
import { UTF16_FAULT } from '../words.ts';
import {
  type Example,
  EXAMPLE_ORIGIN as BASE,
  EXAMPLE_TIME as NOW,
  noted,
  type Params,
  possible,
  type SpoiledClaims,
  wrong,
} from './code-row.ts';

const CLAIMS_RULE = 'Launch claims';
const USER_RULE = 'Launch claims: user.given_name, user.family_name, user.full_name, user.email';
const ISS_RULE = 'Launch claims: issuer (iss)';
const MEMBER_RULE = 'Endpoints, Grade submission: the member segment';
const LIFETIME_RULE = 'Launch claims: api.expires, api.idle (values not given)';
const PROVISION_RULE = 'Limits: provision request token';
const CHANGES_RULE = 'Versioning: contract changes';
const FRESH = 'get a new launch from the service';

const change = (p: Params): string => `contract change of ${p.date}: ${p.change}`;

const TWO_LAUNCHES = '{"launch_id":"launch-7"}\n{"launch_id":"launch-8"}';
const GRADES = `${BASE}/contexts/c-1/members/m-1/grades`;
const HOUR_MS = 3_600_000;

/** A launch with some claims as they should not be, against a contract of another date perhaps. */
const spoiled =
  (of: 'staff' | 'student' | 'provision request') =>
  (changes: SpoiledClaims, contract?: string): Example => {
    const parts = Object.entries(changes).map(([path, value]) =>
      value === undefined ? `no ${path}` : `${path} is ${JSON.stringify(value)}`,
    );
    const against = contract === undefined ? '' : `, against the contract of ${contract}`;
    return { kind: 'claims', given: `${of}: ${parts.join(', ')}${against}`, of, changes, contract };
  };

const staff = spoiled('staff');
const student = spoiled('student');
const request = spoiled('provision request');

/** Errors and warnings about launches and provision requests; paths are claim paths such as `api.token`. */
export const LAUNCH_CODES = {
  // Shape
  'launch.unreadable': wrong(
    (p) => `not a launch: ${p.fault}`,
    CLAIMS_RULE,
    (p) =>
      p.fault === UTF16_FAULT
        ? 'save it as UTF-8; in PowerShell: Out-File -Encoding utf8 FILE'
        : 'pass the claims as JSON, a header.payload.signature token, or a URL, form body or base64 that contains one',
    { kind: 'launch', given: 'Hello', text: 'Hello' },
  ),
  'launch.several': possible(
    'the text has a second, different launch: it was ignored, and the first was read',
    CLAIMS_RULE,
    'pass one launch at a time',
    { kind: 'launch', given: TWO_LAUNCHES, text: TWO_LAUNCHES },
  ),
  'launch.encoding': wrong(
    (p) => `invalid UTF-8 at line ${p.line}, column ${p.column}, read as U+FFFD`,
    'RFC 8259, section 8.1',
    `save it as UTF-8, or ${FRESH}`,
    {
      kind: 'launch',
      given: '{"launch_id":"…"} with a byte 0xff for the …',
      text: Uint8Array.from('{"launch_id":"\xff"}', (character) => character.charCodeAt(0)),
    },
  ),
  'launch.claim_missing': wrong(
    (p) => `${p.claim} is missing; it is required for ${p.purpose}`,
    CLAIMS_RULE,
    `${FRESH}, and keep all its claims`,
    staff({ 'api.token': undefined }),
  ),
  'launch.claim_malformed': wrong(
    (p) => `${p.claim} must be ${p.expected}, not ${p.found}`,
    CLAIMS_RULE,
    `${FRESH}, and keep its claims unchanged`,
    staff({ 'user.groups': 'instructor' }),
  ),
  'launch.claim_absent': possible(
    (p) => `${p.claim} is missing`,
    CLAIMS_RULE,
    'lectern does not need it, but the contract lists it as a claim of a launch',
    staff({ iss: undefined }),
  ),
  'launch.claim_unexpected': possible(
    (p) => `${p.claim} is ${p.found}; expected ${p.expected}`,
    CLAIMS_RULE,
    'lectern does not need it; check where the claims come from',
    staff({ context: { id: 'c-1' } }),
  ),
  'launch.row_unknown': possible(
    (p) => `${p.claim} is not a row of the contract`,
    'Resources: storage rows',
    'the keys are context, location, member and member_location',
    staff({ 'storage.memberLocation': `${BASE}/rows/x` }),
  ),
  'launch.token_unusable': wrong(
    (p) =>
      p.hidden
        ? `api.token has ${HIDDEN} or another placeholder in place of the token`
        : 'api.token contains a space, a control character or a non-ASCII character',
    'Authentication: Authorization: Bearer',
    (p) =>
      p.hidden
        ? 'copy the token from where it is not hidden'
        : 'use only the token, without "Bearer", quotes or line breaks',
    staff({ 'api.token': 'Bearer …' }),
  ),

  // URLs
  'launch.url_malformed': wrong(
    (p) => `${p.claim} cannot be called: ${p.fault}`,
    'Endpoints: URLs are taken exactly as they arrive',
    `${FRESH}; URLs must not be built or edited`,
    staff({ 'storage.context': '/rows/context' }),
  ),
  'launch.url_not_https': wrong(
    (p) => `${p.claim} is not https: the token would be sent unencrypted`,
    'Authentication: bearer tokens (RFC 6750, section 5.3)',
    'http is accepted only for an emulator on this machine',
    staff({ 'storage.context': 'http://service.example/rows/context' }),
  ),
  'launch.url_other_origin': wrong(
    (p) => `${p.claim} is on ${p.origin}, but iss is on ${p.iss}`,
    ISS_RULE,
    'the token is only sent to the origin of iss; check where this launch comes from',
    staff({ 'files.member': 'https://elsewhere.example/files' }),
  ),
  'launch.urls_differ': possible(
    (p) => `${p.claim} is on ${p.origin}, but ${p.other} is on ${p.expected}`,
    ISS_RULE,
    'all URLs of a launch are on one origin; without iss it is unknown which one is right',
    staff({ iss: undefined, 'files.member': 'https://elsewhere.example/f' }),
  ),
  'launch.url_repeated': possible(
    (p) => `${p.claim} is the same URL as ${p.other}`,
    CLAIMS_RULE,
    'each row, file set and level has its own URL; check for a copy and paste error',
    staff({ 'files.member': `${BASE}/rows/member` }),
  ),
  'launch.iss_lms': possible(
    (p) => `iss looks like an LMS (${p.lms}): ${p.host}`,
    ISS_RULE,
    "the issuer is always the service's own base URL; this may be a launch by the LMS",
    staff({ iss: 'https://canvas.instructure.com' }),
  ),

  // Grades
  'launch.grade_null': possible(
    'grade.submit is null: this launch has no gradebook column to post to',
    'Endpoints, Grade submission: rule 5',
    'launch from an assessment location that is deep-linked in the course to submit grades',
    staff({ 'grade.submit': null }),
  ),
  'launch.grade_account': possible(
    'grade.submit is under /account/v1/users/: neither the API key nor another member can be used',
    'Authentication: rule 2',
    "use this launch's own token, for its own user",
    staff({ 'grade.submit': `${BASE}/account/v1/users/u-1/grades` }),
  ),
  'launch.grade_other_shape': possible(
    'grade.submit is neither under /contexts/ nor under /account/v1/users/',
    MEMBER_RULE,
    'the API key and other members can only be used with URLs under /contexts/',
    staff({ 'grade.submit': `${BASE}/grades/m-1` }),
  ),
  'launch.grade_member_absent': possible(
    'grade.submit has no segment equal to user.member',
    MEMBER_RULE,
    'to grade another student, write {member} in place of the member segment',
    staff({ 'grade.submit': `${BASE}/contexts/c-1/grades` }),
  ),
  'launch.grade_member_twice': possible(
    (p) => `user.member occurs ${p.count} times in grade.submit`,
    MEMBER_RULE,
    'to grade another student, write {member} in place of the member segment',
    staff({ 'grade.submit': `${BASE}/contexts/c-1/m-1/m-1/grades` }),
  ),

  // People
  'launch.student_personal_data': wrong(
    (p) => `${p.claim} is set in a student's launch`,
    USER_RULE,
    'student launches must not contain personal data; do not store it, and report it to the sender',
    student({ 'user.email': 'bo@campus.example' }),
  ),
  'launch.staff_data_missing': possible(
    (p) => `${p.claim} is empty in a staff launch`,
    USER_RULE,
    'it is set when user.groups contains manager, instructor or assistant',
    staff({ 'user.email': null }),
  ),
  'launch.group_unknown': noted(
    ({ group, nearest }) =>
      `${JSON.stringify(group)} is not a group of the contract${nearest === undefined ? '' : `, but similar to ${nearest}`}`,
    'Launch claims: user.groups',
    (p) => `only manager, instructor and assistant are staff; this user counts as ${p.reading}`,
    staff({ 'user.groups': ['instructor', 'managers'] }),
  ),

  // Provision requests
  'launch.parent_outside_provision': possible(
    (p) => `${p.claim} occurs outside a provision request`,
    'Resources: storage.parent_context and storage.parent_location',
    'only the provision request of a copied course has the rows of the previous course',
    staff({ 'storage.parent_context': `${BASE}/rows/parent` }),
  ),
  'launch.provision_age_unknown': noted(
    'the age of this provision request is unknown; its token is valid for 3 hours',
    PROVISION_RULE,
    'the lifetime of 3 hours is fixed; calls do not extend it',
    request({ 'api.expires': null }),
  ),
  'launch.provision_ended': possible(
    (p) => `this provision request is probably ${p.age} old; its token is valid for 3 hours`,
    PROVISION_RULE,
    'the service sends a new request after about 3 hours without a finish call; use that one',
    request({ iat: (NOW - 4 * HOUR_MS) / 1000 }),
  ),

  // Lifetime
  'launch.expires_guess': noted(
    (p) => `api.expires is ${p.raw}: possibly ${p.guess}`,
    LIFETIME_RULE,
    'the contract does not define its format; do not rely on it',
    staff({ 'api.expires': NOW + HOUR_MS }),
  ),
  'launch.idle_guess': noted(
    (p) => `api.idle is ${p.raw}: possibly ${p.guess}`,
    LIFETIME_RULE,
    'the contract does not define its format; the idle lifetime is 12 hours without a call',
    staff({ 'api.idle': 7200 }),
  ),
  'launch.lifetime_unreadable': noted(
    (p) => `${p.claim} is ${p.raw}: neither a time nor a duration`,
    LIFETIME_RULE,
    'the contract does not define its format; do not rely on it',
    staff({ 'api.expires': 'tomorrow' }),
  ),
  'launch.expires_passed': possible(
    (p) => `api.expires probably passed ${p.ago} ago`,
    'States: launch token',
    'check the launch, or get a new one',
    staff({ 'api.expires': NOW - HOUR_MS }),
  ),
  'launch.carrier_expired': possible(
    (p) => `exp passed ${p.ago} ago: the token that contained these claims has expired`,
    'RFC 7519, section 4.1.4',
    'api.token has its own lifetime; check the launch',
    staff({ exp: (NOW - HOUR_MS) / 1000 }),
  ),

  // Versions
  'launch.upgrade_offered': possible(
    (p) => `an upgrade of the tool is offered: ${p.offer}`,
    'States: tool version visibility and review',
    'upgrades are only offered to courses with a deprecated version',
    staff({ 'version.upgrade': 4 }),
  ),
  'launch.claim_outdated': possible(
    (p) => `${p.claim} belongs to an older contract; replaced on ${p.date} by ${p.replacement}`,
    CHANGES_RULE,
    change,
    staff({ 'user.role': 'instructor' }),
  ),
  'launch.claim_predates': possible(
    (p) => `${p.claim} is missing: it was added on ${p.date}`,
    CHANGES_RULE,
    change,
    staff({ files: undefined }),
  ),
  'launch.claim_too_new': possible(
    (p) => `${p.claim} is newer than the contract of ${p.contract}: it was added on ${p.date}`,
    CHANGES_RULE,
    change,
    staff({ 'version.number': 3 }, '2026-09-21'),
  ),
  'launch.launch_id': noted(
    'launch_id is still sent, but has not been used by any endpoint since 2026-09-21',
    'Launch claims: launch_id; removed endpoints',
    'use user.member and location.id as keys, and submit grades to grade.submit',
    staff({ launch_id: 'launch-7' }),
  ),
  'launch.url_keyed_on_launch_id': possible(
    (p) => `${p.claim} contains the launch_id: the endpoints keyed on a launch were removed`,
    'Removed endpoints',
    'since 2026-09-21, grades are submitted to the grade.submit URL of a new launch',
    staff({
      launch_id: 'launch-7',
      'grade.submit': `${GRADES}?launch=launch-7`,
    }),
  ),
};
