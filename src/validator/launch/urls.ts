import {
  type Address,
  addressesOf,
  gradeUrlFor,
  gradeUrlShape,
  isLoopback,
  issuerOrigin,
  type Launch,
  type LaunchKind,
  originOf,
  splitUrl,
  violation,
  type Violation,
} from '../../contract/index.ts';

/** Checks every address of a launch, its origin, and what the grade address permits. */
export function checkAddresses(launch: Launch, kind: LaunchKind): Violation[] {
  const addresses = addressesOf(launch);
  return [
    ...checkIssuer(launch.iss),
    ...addresses.flatMap(checkAddress),
    ...checkOrigins(launch, addresses),
    ...checkRepeated(addresses),
    ...checkKeyedOnLaunch(launch, addresses),
    ...checkGradeAddress(launch),
    ...(kind === 'launch' ? checkParents(launch) : []),
  ];
}

function checkAddress({ claim, url }: Address): Violation[] {
  const split = splitUrl(url);
  if ('fault' in split)
    return [violation('launch.url_malformed', claim, { claim, fault: split.fault })];
  if (split.origin.startsWith('https:') || isLoopback(split.origin)) return [];
  return [violation('launch.url_not_https', claim, { claim })];
}

function checkOrigins(launch: Launch, addresses: readonly Address[]): Violation[] {
  const placed = addresses.flatMap(({ claim, url }) => {
    const origin = originOf(url);
    return origin === undefined ? [] : [{ claim, origin }];
  });
  const iss = issuerOrigin(launch);
  if (iss !== undefined) {
    return placed
      .filter(({ origin }) => origin !== iss)
      .map(({ claim, origin }) =>
        violation('launch.url_other_origin', claim, { claim, origin, iss }),
      );
  }
  const [first] = placed;
  return placed
    .filter(({ origin }) => origin !== first?.origin)
    .map(({ claim, origin }) => {
      const params = { claim, origin, other: first?.claim ?? '', expected: first?.origin ?? '' };
      return violation('launch.urls_differ', claim, params);
    });
}

function checkRepeated(addresses: readonly Address[]): Violation[] {
  const seen = new Map<string, string>();
  const violations: Violation[] = [];
  for (const { claim, url } of addresses) {
    const other = seen.get(url);
    if (other === undefined) seen.set(url, claim);
    else violations.push(violation('launch.url_repeated', claim, { claim, other }));
  }
  return violations;
}

/** Endpoints keyed on a launch are removed; an address that contains the launch ID is one of them. */
function checkKeyedOnLaunch(launch: Launch, addresses: readonly Address[]): Violation[] {
  const id = launch.claims.launch_id;
  if (typeof id !== 'string' || id === '') return [];
  return addresses
    .filter(({ url }) => url.split(/[/?&=#]/).includes(id))
    .map(({ claim }) => violation('launch.url_keyed_on_launch_id', claim, { claim }));
}

function checkParents({ storage }: Launch): Violation[] {
  const parents = [
    ['parent_context', storage.parent_context],
    ['parent_location', storage.parent_location],
  ];
  return parents
    .filter(([, url]) => url !== undefined)
    .map(([row]) => `storage.${row}`)
    .map((claim) => violation('launch.parent_outside_provision', claim, { claim }));
}

function checkGradeAddress(launch: Launch): Violation[] {
  const { gradeSubmit: url } = launch;
  if (url === null) return [violation('launch.grade_null', 'grade.submit')];
  if (url === undefined || 'fault' in splitUrl(url)) return [];
  const shape = gradeUrlShape(url);
  if (shape === 'account') return [violation('launch.grade_account', 'grade.submit')];
  if (shape === 'other') return [violation('launch.grade_other_shape', 'grade.submit')];
  return checkMemberSegment(url, launch.member);
}

function checkMemberSegment(url: string, member: string | undefined): Violation[] {
  if (member === undefined) return [];
  const changed = gradeUrlFor(url, member, anotherMember(member));
  if (!('violation' in changed)) return [];
  const { code, params } = changed.violation;
  if (code === 'grade_url.member_absent')
    return [violation('launch.grade_member_absent', 'grade.submit')];
  if (code !== 'grade_url.member_twice') return [];
  return [violation('launch.grade_member_twice', 'grade.submit', { count: params.count ?? 2 })];
}

/** A different ID, to test whether a grade address can be changed. */
export function anotherMember(member: string): string {
  return member === 'a' ? 'b' : 'a';
}

/** Hosts and paths of well-known LMSs. */
const LMS: readonly [string, RegExp][] = [
  ['Canvas', /(^|\.)(instructure\.com$|canvas\.|canvaslms\.)/],
  ['Blackboard', /blackboard/],
  ['Moodle', /moodle/],
  ['Brightspace', /brightspace|desire2learn|(^|\.)d2l\./],
  ['Schoology', /schoology/],
  ['Sakai', /sakai/],
  ['Google Classroom', /(^|\.)classroom\.google\.com/],
  ['itslearning', /itslearning/],
  ['Open edX', /(^|\.)edx\.org/],
  ['Microsoft Teams', /(^|\.)teams\.microsoft\.com/],
];

function checkIssuer(iss: string | undefined): Violation[] {
  if (iss === undefined) return [];
  const origin = originOf(iss);
  if (origin === undefined) {
    const params = { claim: 'iss', expected: 'an http or https URL', found: 'not a URL' };
    return [violation('launch.claim_unexpected', 'iss', params)];
  }
  const { host, hostname } = new URL(origin);
  const lms = LMS.find(([, pattern]) => pattern.test(hostname));
  return lms ? [violation('launch.iss_lms', 'iss', { lms: lms[0], host })] : [];
}
