import { requireFound } from '../../http/refusals.ts';
import { PROVISION_RETRY_MS } from '../../../contract/index.ts';
import { claimsOf } from './claims.ts';
import { type Launched, chooseLocation, chooseTool, launchableTool } from './launches.ts';
import { addLocation, type Level, isReady, isWaiting } from '../../state/rows.ts';
import type { EmulatorState } from '../../state/state.ts';
import { issueToken } from '../../state/issue.ts';
import { endOf } from '../../state/tokens.ts';
import { type Course, IS_STAFF, type Location, PLACED_ANY } from '../../state/world.ts';
import type { Token } from '../../state/records.ts';
import { HttpError } from '../../http/messages.ts';
import { applyCourse, lineitemOf } from '../../state/seed/seed.ts';

/** Parameters of a provision request; all have defaults. */
export interface ProvisionRequest {
  readonly course?: string;
  /** The course to copy from; the copy is made now if necessary. */
  readonly from?: string;
  readonly location?: string;
  readonly tool?: string;
}

/**
 * Requests that a tool provisions a course, or one location of it. "Asked once, and again after about
 * 3 hours without a finish call": until then an outstanding request is returned again.
 */
export function requestProvision(state: EmulatorState, request: ProvisionRequest): Launched {
  const { id: course } = courseToProvision(state, request);
  // Of a copy, the location in the original means its own.
  const copied = state.world.locationsOf(course).find(({ parent }) => parent === request.location);
  const own = { ...request, course, ...(copied && { location: copied.id }) };
  const location = locationToProvision(state, own);
  const level = {
    tool: launchableTool(state, location.tool).id,
    course,
    location: location.id,
  };
  const token =
    outstandingRequest(state, level) ??
    issueToken(state, { kind: 'provision', ...level, member: '', user: '', account: false });
  return { token, claims: claimsOf(state, token) };
}

/** The locations of a course that wait for the finish call of an active tool. */
export function waitingLocations(
  state: EmulatorState,
  course: string,
  tool: string | undefined,
): Location[] {
  const { world } = state;
  return world
    .locationsOf(course, tool)
    .filter((location) => world.tools.get(location.tool)?.status === 'active')
    .filter(({ id, tool: own }) => !isReady(state, { tool: own, course, location: id }));
}

/** A location that waits, preferably one of a tool with a server. */
function locationToProvision(
  state: EmulatorState,
  request: ProvisionRequest & { readonly course: string },
): Location {
  const waiting =
    request.location === undefined ? waitingLocations(state, request.course, request.tool) : [];
  const hasServer = ({ tool }: Location): boolean =>
    state.world.tools.get(tool)?.provision_url !== undefined;
  const first = waiting.find(hasServer) ?? waiting[0];
  const own = waiting.filter(({ tool }) => tool === first?.tool);
  return own.find(({ type }) => type === 'assessment') ?? own[0] ?? chooseLocation(state, request);
}

function outstandingRequest(state: EmulatorState, level: Level): Token | undefined {
  if (isReady(state, level)) return undefined;
  const now = state.clock.now();
  return state.tokens
    .all("kind = 'provision' AND tool = ? AND location = ? AND ended = '' AND issued > ?", [
      level.tool,
      level.location,
      now - PROVISION_RETRY_MS,
    ])
    .find((token) => endOf(token, now) === '');
}

function courseToProvision(state: EmulatorState, request: ProvisionRequest): Course {
  const { world } = state;
  if (request.from !== undefined) return findOrMakeCopy(state, request.from, request);
  const id =
    request.course ??
    (request.location &&
      requireFound(world.locations.get(request.location), 'location', request.location).course);
  if (id !== undefined) return requireFound(world.courses.get(id), 'course', id);
  const courses = world.courses.all(PLACED_ANY, [request.tool ?? null]);
  const copies = courses.filter(({ parent }) => parent !== '');
  const waiting = copies.find((course) => isWaiting(state, course));
  return requireFound(waiting ?? copies[0] ?? courses[0], 'course', '');
}

/** A copy of a course: the given one, or else one that is not provisioned yet, or else a new one. */
function findOrMakeCopy(state: EmulatorState, from: string, request: ProvisionRequest): Course {
  const { courses } = state.world;
  const { course: id } = request;
  const original = requireFound(courses.get(from), 'course', from);
  const known = id === undefined ? undefined : courses.get(id);
  if (known !== undefined) return markAsCopy(state, known, original);
  const waiting = courses.all('parent = ?', [from]).find((course) => isWaiting(state, course));
  if (id === undefined && waiting !== undefined) return waiting;
  // What is refused leaves no copy behind.
  chooseTool(state, { ...request, course: from });
  if (id !== undefined && !isFree(state, id)) {
    const message = `members or locations of other courses begin with ${id}-: name another course`;
    throw new HttpError(422, 'provision.course', message);
  }
  return copyCourse(state, original, id ?? freeId(state, from));
}

function freeId(state: EmulatorState, from: string): string {
  for (let number = 1; ; number++) {
    const id = number === 1 ? `${from}-copy` : `${from}-copy-${number}`;
    if (isFree(state, id)) return id;
  }
}

/** Whether a course of this ID, and all that a copy has, would be new. */
function isFree({ world: { courses, members, locations } }: EmulatorState, id: string): boolean {
  const isOwn = 'substr(id, 1, ?) = ?';
  const prefix = `${id}-`;
  return (
    !courses.has(id) &&
    [members, locations].every((table) => table.first(isOwn, [prefix.length, prefix]) === undefined)
  );
}

const STUDENTS_OF_A_COPY = 3;

/** A course with the staff and the placements of another, and students of its own. */
function copyCourse(state: EmulatorState, original: Course, course: string): Course {
  const { world } = state;
  const staff = world.members.all(`course = ? AND NOT "left" AND ${IS_STAFF}`, [original.id]);
  applyCourse(state, { id: course, copy_of: original.id, students: STUDENTS_OF_A_COPY });
  // Last: one of them may be named as a new student is.
  for (const member of staff) {
    world.members.put({ ...member, id: `${course}-${member.id}`, course });
  }
  const copy = { ...original, id: course, parent: original.id };
  world.courses.put(copy);
  for (const location of world.locationsOf(original.id)) {
    const id = `${course}-${location.id}`;
    const column = location.column && { ...location.column, lineitem: lineitemOf(id) };
    const own = { id, course, column, resource_link: `link-${id}`, parent: location.id };
    addLocation(state, { ...location, ...own });
  }
  return copy;
}

/** Marks an existing course as a copy of another; its original cannot be changed later. */
function markAsCopy(state: EmulatorState, course: Course, original: Course): Course {
  if (course.parent === original.id) return course;
  if (course.parent !== '' || course.id === original.id) {
    throw new HttpError(
      422,
      'provision.from',
      `course ${course.id} is not a copy of ${original.id}`,
    );
  }
  const copy = { ...course, parent: original.id };
  state.world.courses.put(copy);
  pairLocations(state, course, original);
  return copy;
}

/** Pairs each location with the first unpaired location of the same tool. */
function pairLocations({ world }: EmulatorState, course: Course, original: Course): void {
  const originals = world.locationsOf(original.id);
  for (const location of world.locationsOf(course.id)) {
    const index = originals.findIndex(({ tool }) => tool === location.tool);
    const [parent] = index === -1 ? [] : originals.splice(index, 1);
    if (parent !== undefined) world.locations.put({ ...location, parent: parent.id });
  }
}
