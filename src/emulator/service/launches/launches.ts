import { requireFound } from '../../http/refusals.ts';
import { HttpError } from '../../http/messages.ts';
import type { Token } from '../../state/records.ts';
import type { EmulatorState } from '../../state/state.ts';
import { issueToken } from '../../state/issue.ts';
import {
  IN_GROUP,
  IS_STAFF,
  isStaffMember,
  PLACED_ANY,
  type Course,
  type Location,
  type Member,
  type Tool,
} from '../../state/world.ts';
import { claimsOf } from './claims.ts';

/** Parameters of a launch; all have defaults. */
export interface LaunchRequest {
  readonly role?: string;
  readonly member?: string;
  readonly course?: string;
  readonly location?: string;
  readonly tool?: string;
  /** A launch whose `grade.submit` is under `/account/v1/users/…`. */
  readonly account?: boolean;
  /** Without a location and a tool: if possible of a tool with an API key, not a hosted one. */
  readonly keyed?: boolean;
}

export interface Launched {
  readonly token: Token;
  readonly claims: Record<string, unknown>;
}

/** A tool that would have been launched if it were active, or had an API key. */
export type PassedOver = Pick<Tool, 'id' | 'status'>;

/** Launches a tool at a location of a course for one of its members. */
export function launch(state: EmulatorState, request: LaunchRequest): Launched {
  const location = chooseLocation(state, request);
  const tool = launchableTool(state, location.tool);
  const member = chooseMember(state, location.course, request);
  const token = issueToken(state, {
    kind: 'launch',
    tool: tool.id,
    course: location.course,
    location: location.id,
    member: member.id,
    user: member.user,
    account: request.account === true,
  });
  return { token, claims: claimsOf(state, token) };
}

/** A request that names neither tool nor location, for the first placed tool of the kind. */
export function forKind<Request extends LaunchRequest>(
  { world }: EmulatorState,
  request: Request,
  kind: 'hosted' | 'external',
): Request {
  if (request.tool !== undefined || request.location !== undefined) return request;
  const { course: within } = request;
  const first = world.locations.first(
    `coalesce(?, course) = course
     AND tool IN (SELECT id FROM tools WHERE status = 'active' AND hosted = ?)`,
    [within ?? null, Number(kind === 'hosted')],
  );
  return first === undefined ? request : { ...request, tool: first.tool };
}

/** The tool that a launch would be of; refused unless it is active. */
export function chooseTool(state: EmulatorState, request: LaunchRequest): Tool {
  return launchableTool(state, chooseLocation(state, request).tool);
}

/** The tool that was passed over for an active one, if none was requested. */
export function passedOver(
  { world }: EmulatorState,
  request: LaunchRequest,
  { token }: Launched,
): PassedOver | null {
  if (request.location !== undefined || request.tool !== undefined) return null;
  const first = world.tools.get(world.locationsOf(token.course)[0]?.tool ?? '');
  if (first === undefined || first.id === token.tool) return null;
  return { id: first.id, status: first.status };
}

/** The requested location, or else one of the course: if possible an assessment of an active tool. */
export function chooseLocation(state: EmulatorState, request: LaunchRequest): Location {
  const { world } = state;
  const { location: id, course: within } = request;
  if (id !== undefined) {
    const location = requireFound(world.locations.get(id), 'location', id);
    if (within === undefined || location.course === within) return location;
    throw new HttpError(422, 'launch.location', `location ${id} is not in that course`);
  }
  const course = chooseCourse(state, request);
  const placed = world.locationsOf(course.id, request.tool);
  const active = placed.filter(({ tool }) => world.tools.get(tool)?.status === 'active');
  const hasKey = ({ tool }: Location): boolean => world.tools.get(tool)?.api_key !== '';
  const first = (request.keyed && active.find(hasKey)) || (active[0] ?? placed[0]);
  const isAssessment = ({ tool, type }: Location): boolean =>
    tool === first?.tool && type === 'assessment';
  return requireFound(
    placed.find(isAssessment) ?? first,
    'location of the tool in course',
    course.id,
  );
}

function chooseCourse(state: EmulatorState, request: LaunchRequest): Course {
  const { world } = state;
  const { course, member, tool } = request;
  const id = course ?? (member && requireFound(world.members.get(member), 'member', member).course);
  if (id !== undefined) return requireFound(world.courses.get(id), 'course', id);
  const placed = world.courses.all(PLACED_ANY, [tool ?? null]);
  const peopled = placed.find(
    (each) => firstMemberWith(state, each.id, request.role ?? 'student') !== undefined,
  );
  return requireFound(peopled ?? placed[0], 'course', '');
}

/** A tool, refused unless it is active. */
export function launchableTool(state: EmulatorState, id: string): Tool {
  return requireActive(requireFound(state.world.tools.get(id), 'tool', id));
}

export function requireActive(tool: Tool): Tool {
  const { id, status } = tool;
  if (status === 'active') return tool;
  throw new HttpError(422, 'launch.tool', `tool ${id} is ${status} and cannot be launched`);
}

function chooseMember(
  state: EmulatorState,
  course: string,
  { member, role }: LaunchRequest,
): Member {
  if (member !== undefined) {
    const named = state.world.presentMember(course, member) ?? refuseAbsent(state, course, member);
    if (role === undefined || hasRole(named, role)) return named;
    const own = isStaffMember(named) ? named.groups.join(', ') : 'student';
    throw new HttpError(422, 'launch.role', `member ${member} is not ${role} but ${own}`);
  }
  const chosen = firstMemberWith(state, course, role);
  return requireFound(chosen, 'member of the course with the role', role ?? 'student');
}

/** The first member of a course with a role; by default a student, or else any member. */
function firstMemberWith(state: EmulatorState, course: string, role?: string): Member | undefined {
  // The plus keeps SQLite from sorting all members of the course, which the index would find.
  const there = '+course = ? AND NOT "left"';
  const { members } = state.world;
  if (role === undefined) {
    return firstMemberWith(state, course, 'student') ?? members.first(there, [course]);
  }
  if (role === 'student') return members.first(`${there} AND NOT ${IS_STAFF}`, [course]);
  return members.first(`${there} AND ${IN_GROUP}`, [course, role]);
}

function refuseAbsent({ world }: EmulatorState, course: string, id: string): never {
  const member = world.members.get(id);
  const hasLeft = member?.course === course && member.left;
  const why = `no member ${id} in course ${course}${hasLeft ? ', which this person has left' : ''}`;
  throw new HttpError(404, 'not_found', `${why}: launch as another member`);
}

function hasRole(member: Member, role: string): boolean {
  return role === 'student' ? !isStaffMember(member) : member.groups.includes(role);
}
