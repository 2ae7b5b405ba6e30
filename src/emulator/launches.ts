import { LAUNCH_TOKEN_IDLE_MS, PROVISION_TOKEN_MS } from '../contract/index.ts';
import { filesPath, gradePath, provisionPath, rowPath, type RowAddress } from './addresses.ts';
import { accountCheck } from './grades.ts';
import { Refusal } from './http.ts';
import type { Service } from './service.ts';
import { issueToken, type Token } from './tokens.ts';
import { versionClaim } from './versions.ts';
import { isStaffMember, type Course, type Location, type Member, type Tool } from './world.ts';

/** What a launch is asked for by; what is left out is chosen. */
export interface LaunchWish {
  readonly role?: string;
  readonly member?: string;
  readonly course?: string;
  readonly location?: string;
  readonly tool?: string;
  /** A launch whose `grade.submit` is under `/account/v1/users/…`. */
  readonly account?: boolean;
}

export interface Launched {
  readonly token: Token;
  readonly claims: Record<string, unknown>;
}

/** A tool that would have been launched had it been active. */
export type PassedOver = Pick<Tool, 'id' | 'status'>;

/** Launches a tool at a location of a course for one of its members. */
export function launch(service: Service, wish: LaunchWish): Launched {
  const location = chooseLocation(service, wish);
  const tool = launchableTool(service, location.tool);
  const member = chooseMember(service, location.course, wish);
  const token = issueToken(service, {
    kind: 'launch',
    tool: tool.id,
    course: location.course,
    location: location.id,
    member: member.id,
    user: member.user,
    account: wish.account === true,
  });
  return { token, claims: claimsOf(service, token) };
}

/** The tool in whose place another was launched, since nothing said which. */
export function passedOver(
  { world }: Service,
  wish: LaunchWish,
  { token }: Launched,
): PassedOver | null {
  if (wish.location !== undefined || wish.tool !== undefined) return null;
  const first = world.tools.get(world.locationsOf(token.course)[0]?.tool ?? '');
  if (first === undefined || first.id === token.tool) return null;
  return { id: first.id, status: first.status };
}

// ---------------------------------------------------------------- choosing

/** The location that is named, else one of the course: an assessment of a tool that runs, if there is one. */
export function chooseLocation(service: Service, wish: LaunchWish): Location {
  const { world } = service;
  if (wish.location !== undefined) {
    const location = found(world.locations.get(wish.location), 'location', wish.location);
    if (wish.course !== undefined && location.course !== wish.course) {
      throw new Refusal(422, 'launch.location', `location ${wish.location} is not in that course`);
    }
    return location;
  }
  const course = chooseCourse(service, wish);
  const [tool] = wish.tool === undefined ? toolsIn(service, course.id) : [wish.tool];
  const locations = world.locationsOf(course.id, tool);
  const chosen = locations.find(({ type }) => type === 'assessment') ?? locations[0];
  return found(chosen, 'location of the tool in course', course.id);
}

function chooseCourse(service: Service, wish: LaunchWish): Course {
  const { world } = service;
  const { course, member, tool } = wish;
  const id = course ?? (member && found(world.members.get(member), 'member', member).course);
  if (id !== undefined) return found(world.courses.get(id), 'course', id);
  const placed = [...world.courses.values()].filter(
    (each) => world.locationsOf(each.id, tool).length > 0,
  );
  const peopled = placed.find((each) => memberWith(service, each.id, wish.role) !== undefined);
  return found(peopled ?? placed[0], 'course', '');
}

/** The tools placed in a course, those that can be launched first. */
function toolsIn(service: Service, course: string): string[] {
  const tools = service.world.locationsOf(course).map(({ tool }) => tool);
  const isActive = (id: string): boolean => service.world.tools.get(id)?.status === 'active';
  return [...tools.filter(isActive), ...tools];
}

/** A tool that can be launched, which only an active one can. */
export function launchableTool(service: Service, id: string): Tool {
  const tool = found(service.world.tools.get(id), 'tool', id);
  if (tool.status === 'active') return tool;
  throw new Refusal(422, 'launch.tool', `tool ${id} is ${tool.status} and cannot be launched`);
}

function chooseMember(service: Service, course: string, { member, role }: LaunchWish): Member {
  if (member !== undefined) {
    const named = found(
      service.world.presentMember(course, member),
      'member of the course',
      member,
    );
    if (role === undefined || hasRole(named, role)) return named;
    const own = isStaffMember(named) ? named.groups.join(', ') : 'student';
    throw new Refusal(422, 'launch.role', `member ${member} is not ${role} but ${own}`);
  }
  const chosen = memberWith(service, course, role);
  return found(chosen, 'member of the course with the role', role ?? 'student');
}

/** The first who is in a course with a role; without one, the first student. */
function memberWith(service: Service, course: string, role = 'student'): Member | undefined {
  for (const each of service.world.members.values()) {
    if (hasRole(each, role) && each.course === course && !each.left) return each;
  }
  return undefined;
}

function hasRole(member: Member, role: string): boolean {
  return role === 'student' ? !isStaffMember(member) : member.groups.includes(role);
}

export function found<T>(value: T | undefined, what: string, id: string): T {
  return value ?? notFound(what, id);
}

function notFound(what: string, id: string): never {
  throw new Refusal(404, 'not_found', `no ${what} ${id}`.trimEnd());
}

// ---------------------------------------------------------------- claims

/** "Launch claims referred to in this interface", for a token that was issued. */
export function claimsOf(service: Service, token: Token): Record<string, unknown> {
  const { world, urls } = service;
  const course = found(world.courses.get(token.course), 'course', token.course);
  const location = found(world.locations.get(token.location), 'location', token.location);
  const isLaunch = token.kind === 'launch';
  return {
    iss: urls.api,
    launch_id: token.launchId,
    api: apiClaim(token),
    ...(isLaunch && { user: userClaim(world.members.get(token.member)) }),
    context: course.id,
    course: { title: course.title },
    location: { id: location.id, extid: location.extid },
    resource_link: location.resourceLink,
    organization: { deployment: course.deployment },
    ...(isLaunch ? ownRows(service, token) : provisioningRows(service, token, course, location)),
    ...(isLaunch && { grade: { submit: gradeClaim(service, token, location) } }),
    provision: {
      context: urls.api + provisionPath('context', token),
      location: urls.api + provisionPath('location', token),
    },
    version: versionClaim(world.tools.get(token.tool), course),
  };
}

/** `api.expires` in ms since the epoch, `api.idle` in seconds ("values not given"). */
function apiClaim(token: Token): Record<string, unknown> {
  if (token.kind === 'provision') {
    return { token: token.token, expires: token.issued + PROVISION_TOKEN_MS, idle: null };
  }
  const expires = token.lastCall + LAUNCH_TOKEN_IDLE_MS;
  return { token: token.token, expires, idle: LAUNCH_TOKEN_IDLE_MS / 1000 };
}

/** "Student launches carry no personal data." */
function userClaim(member: Member | undefined): Record<string, unknown> {
  const known = found(member, 'member', '');
  const isNamed = isStaffMember(known);
  return {
    member: known.id,
    groups: known.groups,
    given_name: isNamed ? known.givenName : null,
    family_name: isNamed ? known.familyName : null,
    full_name: isNamed ? `${known.givenName} ${known.familyName}` : null,
    email: isNamed ? known.email : null,
  };
}

type Addresses = Readonly<Record<string, RowAddress>>;

function ownRows(service: Service, token: Token): Record<string, unknown> {
  const rows = {
    context: rowAddress('context', token),
    location: rowAddress('location', token),
    member: rowAddress('member', token),
    member_location: rowAddress('member_location', token),
  };
  return { storage: urlsBy(service, rows, rowPath), files: urlsBy(service, rows, filesPath) };
}

/** Those of the new course, and on a copied course "additionally" the previous course's. */
function provisioningRows(
  service: Service,
  token: Token,
  course: Course,
  location: Location,
): Record<string, unknown> {
  const own = { context: rowAddress('context', token), location: rowAddress('location', token) };
  const parent = { ...token, course: course.parent, location: location.parent };
  const rows = {
    ...own,
    ...(service.world.isPlaced(token.tool, course.parent) && {
      parent_context: rowAddress('context', parent),
    }),
    ...(location.parent !== '' && { parent_location: rowAddress('location', parent) }),
  };
  return { storage: urlsBy(service, rows, rowPath), files: urlsBy(service, own, filesPath) };
}

function rowAddress(
  kind: RowAddress['kind'],
  { tool, course, location, member }: Pick<Token, 'tool' | 'course' | 'location' | 'member'>,
): RowAddress {
  return { kind, tool, course, location, member };
}

function urlsBy(
  service: Service,
  rows: Addresses,
  path: (row: RowAddress) => string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [name, service.urls.api + path(row)]),
  );
}

/** null where the location is no assessment, or launches from it were set to carry no URL. */
function gradeClaim(service: Service, token: Token, location: Location): string | null {
  if (location.type !== 'assessment' || !location.gradeUrl) return null;
  const { tool, course, member, user } = token;
  const parts = { tool, course, member, user, location: location.id };
  if (!token.account)
    return service.urls.api + gradePath({ shape: 'contexts', ...parts, check: '' });
  const check = accountCheck(service, parts);
  return service.urls.api + gradePath({ shape: 'account', ...parts, check });
}
