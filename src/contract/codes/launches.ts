import { type CodeRow, noted, type Params, possible, wrong } from './row.ts';

const CLAIMS_RULE = 'Launch claims';
const USER_RULE = 'Launch claims: user.given_name, user.family_name, user.full_name, user.email';
const GROUPS_RULE = 'Launch claims: user.groups';
const ISS_RULE = 'Launch claims: issuer (iss)';
const MEMBER_RULE = 'Endpoints, Grade submission: the member segment';
const LIFETIME_RULE = 'Launch claims: api.expires, api.idle (values not given)';
const PROVISION_RULE = 'Limits: provision request token';
const CHANGES_RULE = 'Versioning: contract changes';
const FRESH = 'take a fresh launch from the service';

const change = (p: Params): string => `contract change of ${p.date}: ${p.change}`;

/** What can be wrong with a launch or a provision request; paths are claim paths such as `api.token`. */
export const LAUNCH_CODES = {
  // Shape
  'launch.unreadable': wrong(
    (p) => `no launch can be read from this: ${p.fault}`,
    CLAIMS_RULE,
    () =>
      'give the claims as JSON, or a header.payload.signature token, or the URL, form body or base64 that carries one',
  ),
  'launch.encoding': wrong(
    (p) => `bytes that are no UTF-8, at line ${p.line}, column ${p.column}; U+FFFD is read there`,
    'RFC 8259, section 8.1',
    () => `save it as UTF-8, or ${FRESH}`,
  ),
  'launch.claim_missing': wrong(
    (p) => `${p.claim} is missing; without it there is no ${p.purpose}`,
    CLAIMS_RULE,
    () => `${FRESH}, and keep its claims whole`,
  ),
  'launch.claim_malformed': wrong(
    (p) => `${p.claim} must be ${p.expected}, not ${p.found}`,
    CLAIMS_RULE,
    () => `${FRESH}, and keep its claims as they come`,
  ),
  'launch.claim_absent': possible(
    (p) => `${p.claim} is absent`,
    CLAIMS_RULE,
    () => 'nothing here needs it; the contract lists it among the claims of a launch',
  ),
  'launch.claim_unexpected': possible(
    (p) => `${p.claim} is ${p.found}; the contract says ${p.expected}`,
    CLAIMS_RULE,
    () => 'nothing here needs it; check what wrote the claims down',
  ),
  'launch.row_unknown': possible(
    (p) => `${p.claim} belongs to no row that the contract names`,
    'Resources: storage rows',
    () => 'the keys are context, location, member and member_location',
  ),
  'launch.token_unusable': wrong(
    () => 'api.token cannot stand in a header: it holds a space, a control or a foreign character',
    'Authentication: Authorization: Bearer',
    () => 'give the token alone, without "Bearer", quotes or line breaks',
  ),

  // Addresses
  'launch.url_malformed': wrong(
    (p) => `${p.claim} cannot be called: ${p.fault}`,
    'Endpoints: URLs are taken exactly as they arrive',
    () => `${FRESH}; an address is never built or changed by hand`,
  ),
  'launch.url_not_https': wrong(
    (p) => `${p.claim} is not https: the token would cross the network readable to others`,
    'Authentication: bearer tokens (RFC 6750, section 5.3)',
    () => 'plain http is for an emulator on this machine',
  ),
  'launch.url_other_origin': wrong(
    (p) => `${p.claim} is on ${p.origin}, but iss is on ${p.iss}`,
    ISS_RULE,
    () => 'the token is sent to the origin of iss only; check where this launch comes from',
  ),
  'launch.urls_differ': possible(
    (p) => `${p.claim} is on ${p.origin}, but ${p.other} is on ${p.expected}`,
    ISS_RULE,
    () => "all addresses of a launch are the service's; without iss it cannot be told which is",
  ),
  'launch.url_repeated': possible(
    (p) => `${p.claim} is the same address as ${p.other}`,
    CLAIMS_RULE,
    () => 'each row, file set and level has an address of its own; a copy and paste slip?',
  ),
  'launch.iss_lms': possible(
    (p) => `iss looks like an LMS (${p.lms}): ${p.host}`,
    ISS_RULE,
    () => "the issuer is always the service's own base address; is this the LMS's own launch?",
  ),

  // Grades
  'launch.grade_null': possible(
    () => 'grade.submit is null: this launch has no gradebook column to post to',
    'Endpoints, Grade submission: rule 5',
    () => 'launch from an assessment location that is deep-linked in the course to submit grades',
  ),
  'launch.grade_account': possible(
    () => 'grade.submit is under /account/v1/users/: no API key, and no other member',
    'Authentication: rule 2',
    () => "submit with this launch's own token, for its own user",
  ),
  'launch.grade_other_shape': possible(
    () => 'grade.submit is neither under /contexts/ nor under /account/v1/users/',
    MEMBER_RULE,
    () => 'the API key and another member are for addresses under /contexts/ only',
  ),
  'launch.grade_member_absent': possible(
    () => 'grade.submit has no segment that is user.member',
    MEMBER_RULE,
    () => 'to grade another student, mark the segment: write {member} in its place',
  ),
  'launch.grade_member_twice': possible(
    (p) => `user.member stands ${p.count} times in grade.submit`,
    MEMBER_RULE,
    () => 'to grade another student, mark the right one: write {member} in its place',
  ),

  // People
  'launch.student_personal_data': wrong(
    (p) => `${p.claim} is filled in a student's launch`,
    USER_RULE,
    () => 'student launches carry no personal data; do not keep it, and tell whoever made this',
  ),
  'launch.staff_data_missing': possible(
    (p) => `${p.claim} is empty in a staff launch`,
    USER_RULE,
    () => 'it is filled when user.groups holds manager, instructor or assistant',
  ),
  'launch.group_unknown': possible(
    (p) => `${JSON.stringify(p.group)} is no group that the contract names`,
    GROUPS_RULE,
    (p) => `only manager, instructor and assistant make staff; this user is read as ${p.reading}`,
  ),

  // Provision requests
  'launch.parent_outside_provision': possible(
    (p) => `${p.claim} stands outside a provision request`,
    'Resources: storage.parent_context and storage.parent_location',
    () => 'the rows of the previous course come with the provision request of a copied course',
  ),
  'launch.provision_age_unknown': noted(
    () => 'how old this provision request is cannot be seen; its token lives 3 hours',
    PROVISION_RULE,
    () => 'the 3 hours are fixed: calls do not prolong them',
  ),
  'launch.provision_ended': possible(
    (p) => `this provision request seems ${p.age} old; its token lives 3 hours`,
    PROVISION_RULE,
    () => 'the service asks again after about 3 hours without a finish call; take that request',
  ),

  // Lifetime
  'launch.expires_guess': noted(
    (p) => `api.expires is ${p.raw}: perhaps ${p.guess}`,
    LIFETIME_RULE,
    () => 'the contract does not say how to read it; build nothing on it',
  ),
  'launch.idle_guess': noted(
    (p) => `api.idle is ${p.raw}: perhaps ${p.guess}`,
    LIFETIME_RULE,
    () => 'the contract does not say how to read it; the idle lifetime is 12 hours without a call',
  ),
  'launch.lifetime_unreadable': possible(
    (p) => `${p.claim} is ${p.raw}: neither a time nor a duration can be read from it`,
    LIFETIME_RULE,
    () => 'the contract does not say how to read it; build nothing on it',
  ),
  'launch.expires_passed': possible(
    (p) => `api.expires seems to have passed ${p.ago} ago`,
    'States: launch token',
    () => 'ask the service, or take a fresh launch',
  ),
  'launch.carrier_expired': possible(
    (p) => `exp passed ${p.ago} ago: the token that carried these claims has expired`,
    'RFC 7519, section 4.1.4',
    () => 'api.token has a lifetime of its own; ask the service',
  ),

  // Versions
  'launch.upgrade_offered': possible(
    (p) => `the course is offered an upgrade of the tool: ${p.offer}`,
    'States: tool version visibility and review',
    () => 'only a deprecated version offers its courses an upgrade',
  ),
  'launch.claim_outdated': possible(
    (p) => `${p.claim} belongs to an older contract; since ${p.date} it is ${p.replacement}`,
    CHANGES_RULE,
    change,
  ),
  'launch.claim_predates': possible(
    (p) => `${p.claim} is missing: it was added on ${p.date}`,
    CHANGES_RULE,
    change,
  ),
  'launch.claim_too_new': possible(
    (p) => `${p.claim} is newer than the contract of ${p.contract}: it was added on ${p.date}`,
    CHANGES_RULE,
    change,
  ),
  'launch.launch_id': noted(
    () => 'launch_id is still sent, but nothing has been keyed on it since 2026-09-21',
    'Launch claims: launch_id; removed endpoints',
    () => 'key what you store on user.member and location.id; grades go to grade.submit',
  ),
  'launch.url_keyed_on_launch_id': possible(
    (p) => `${p.claim} holds the launch_id: the endpoints keyed on a launch are gone`,
    'Removed endpoints',
    () => 'since 2026-09-21 grades go to the grade.submit address of a fresh launch',
  ),
} satisfies Record<string, CodeRow>;
