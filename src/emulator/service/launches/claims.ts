import { requireFound } from '../../http/refusals.ts';
import { isShared, LAUNCH_TOKEN_IDLE_MS, ROW_KINDS } from '../../../contract/index.ts';
import { filesPath, gradePath, provisionPath, rowPath } from '../addresses.ts';
import { nameOf } from '../../state/people.ts';
import type { RowNames } from '../../state/row-table.ts';
import { accountCheck } from '../grades/grades.ts';
import type { EmulatorState } from '../../state/state.ts';
import { expiryOf } from '../../state/tokens.ts';
import { versionClaim } from '../../state/versions.ts';
import { isStaffMember, type Course, type Location, type Member } from '../../state/world.ts';
import type { Token } from '../../state/records.ts';

/** "Launch claims referred to in this interface", for an issued token. */
export function claimsOf(state: EmulatorState, token: Token): Record<string, unknown> {
  const { world, urls, chosen } = state;
  const { claims } = chosen;
  const course = requireFound(world.courses.get(token.course), 'course', token.course);
  const location = requireFound(world.locations.get(token.location), 'location', token.location);
  const isLaunch = token.kind === 'launch';
  return {
    iss: urls.api,
    launch_id: token.launch_id,
    api: apiClaim(state, token),
    ...(isLaunch && { user: userClaim(state, token) }),
    context: course.id,
    course: { title: course.title, ...claims.course },
    location: { id: location.id, extid: location.extid },
    resource_link: location.resource_link,
    organization: { deployment: course.deployment },
    ...rowClaims(state, token, course, location),
    ...(isLaunch && { grade: { submit: gradeClaim(state, token, location) } }),
    provision: {
      context: urls.api + provisionPath(state, 'context', token),
      location: urls.api + provisionPath(state, 'location', token),
    },
    version: versionClaim(world.tools.get(token.tool), course),
    ...claims.launch,
  };
}

/** `api.expires` in ms since the epoch, `api.idle` in seconds ("values not given"). */
function apiClaim({ chosen }: EmulatorState, token: Token): Record<string, unknown> {
  const isLaunch = token.kind === 'launch';
  return {
    token: token.token,
    ...chosen.expires(expiryOf(token)),
    ...chosen.idle(isLaunch ? LAUNCH_TOKEN_IDLE_MS / 1000 : null),
  };
}

/** "Student launches carry no personal data." */
function userClaim({ world, chosen }: EmulatorState, token: Token): Record<string, unknown> {
  const known: Member = requireFound(world.members.get(token.member), 'member', '');
  const isNamed = isStaffMember(known);
  return {
    member: known.id,
    groups: [...known.groups, ...chosen.groups],
    given_name: isNamed ? known.given_name : null,
    family_name: isNamed ? known.family_name : null,
    full_name: isNamed ? nameOf(known) : null,
    email: isNamed ? known.email : null,
    ...chosen.claims.user,
  };
}

/** A provision request has the shared rows; for a copied course "additionally" those of the previous one. */
function rowClaims(
  state: EmulatorState,
  token: Token,
  course: Course,
  location: Location,
): Record<string, unknown> {
  const isLaunch = token.kind === 'launch';
  const own = ROW_KINDS.filter((kind) => isLaunch || isShared(kind)).map((kind): Address => [
    kind,
    { ...token, kind },
  ]);
  const previous = { ...token, course: course.parent, location: location.parent };
  const parents: Address[] = [];
  if (!isLaunch && state.world.isPlaced(token.tool, course.parent)) {
    parents.push(['parent_context', { ...previous, kind: 'context' }]);
  }
  if (!isLaunch && location.parent !== '') {
    parents.push(['parent_location', { ...previous, kind: 'location' }]);
  }
  const urls = (rows: readonly Address[], path: typeof rowPath): object =>
    Object.fromEntries(rows.map(([name, row]) => [name, state.urls.api + path(state, row)]));
  return { storage: urls([...own, ...parents], rowPath), files: urls(own, filesPath) };
}

type Address = readonly [name: string, row: RowNames];

/** null if the location is not an assessment, or is set to have no grade URL. */
function gradeClaim(state: EmulatorState, token: Token, location: Location): string | null {
  if (location.type !== 'assessment' || !location.grade_url) return null;
  const { tool, course, member, user } = token;
  const parts = { tool, course, member, user, location: location.id };
  if (!token.account)
    return state.urls.api + gradePath(state, { shape: 'contexts', ...parts, check: '' });
  const check = accountCheck(state, parts);
  return state.urls.api + gradePath(state, { shape: 'account', ...parts, check });
}
