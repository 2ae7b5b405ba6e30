import { HttpError } from '../http/messages.ts';
import type { EmulatorState } from '../state.ts';
import { isStaffMember, type Course, type Location, type Member, type Tool } from './world.ts';

/** What a launch is asked for by; what is left out is chosen. */
export interface LaunchRequest {
  readonly role?: string;
  readonly member?: string;
  readonly course?: string;
  readonly location?: string;
  readonly tool?: string;
  /** A launch whose `grade.submit` is under `/account/v1/users/…`. */
  readonly account?: boolean;
}

/** The location that is named, else one of the course: an assessment of a tool that runs, if there is one. */
export function chooseLocation(state: EmulatorState, wish: LaunchRequest): Location {
  const { world } = state;
  if (wish.location !== undefined) {
    const location = found(world.locations.get(wish.location), 'location', wish.location);
    if (wish.course !== undefined && location.course !== wish.course) {
      throw new HttpError(
        422,
        'launch.location',
        `location ${wish.location} is not in that course`,
      );
    }
    return location;
  }
  const course = chooseCourse(state, wish);
  const [tool] = wish.tool === undefined ? toolsIn(state, course.id) : [wish.tool];
  const locations = world.locationsOf(course.id, tool);
  const chosen = locations.find(({ type }) => type === 'assessment') ?? locations[0];
  return found(chosen, 'location of the tool in course', course.id);
}

function chooseCourse(state: EmulatorState, wish: LaunchRequest): Course {
  const { world } = state;
  const { course, member, tool } = wish;
  const id = course ?? (member && found(world.members.get(member), 'member', member).course);
  if (id !== undefined) return found(world.courses.get(id), 'course', id);
  const placed = [...world.courses.values()].filter(
    (each) => world.locationsOf(each.id, tool).length > 0,
  );
  const peopled = placed.find((each) => memberWith(state, each.id, wish.role) !== undefined);
  return found(peopled ?? placed[0], 'course', '');
}

/** The tools placed in a course, those that can be launched first. */
function toolsIn(state: EmulatorState, course: string): string[] {
  const tools = state.world.locationsOf(course).map(({ tool }) => tool);
  const isActive = (id: string): boolean => state.world.tools.get(id)?.status === 'active';
  return [...tools.filter(isActive), ...tools];
}

/** A tool that can be launched, which only an active one can. */
export function launchableTool(state: EmulatorState, id: string): Tool {
  const tool = found(state.world.tools.get(id), 'tool', id);
  if (tool.status === 'active') return tool;
  throw new HttpError(422, 'launch.tool', `tool ${id} is ${tool.status} and cannot be launched`);
}

export function chooseMember(
  state: EmulatorState,
  course: string,
  { member, role }: LaunchRequest,
): Member {
  if (member !== undefined) {
    const named = found(state.world.presentMember(course, member), 'member of the course', member);
    if (role === undefined || hasRole(named, role)) return named;
    const own = isStaffMember(named) ? named.groups.join(', ') : 'student';
    throw new HttpError(422, 'launch.role', `member ${member} is not ${role} but ${own}`);
  }
  const chosen = memberWith(state, course, role);
  return found(chosen, 'member of the course with the role', role ?? 'student');
}

/** The first who is in a course with a role; without one, the first student. */
function memberWith(state: EmulatorState, course: string, role = 'student'): Member | undefined {
  for (const each of state.world.members.values()) {
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
  throw new HttpError(404, 'not_found', `no ${what} ${id}`.trimEnd());
}
