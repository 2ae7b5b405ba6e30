import { PROVISION_RETRY_MS } from '../contract/index.ts';
import { Refusal } from './http.ts';
import { chooseLocation, claimsOf, found, launchableTool, type Launched } from './launches.ts';
import { isFinished, type Level } from './provisioning.ts';
import { plantCourse, type SeedCourse, type SeedLocation, type SeedMember } from './seed.ts';
import type { Service } from './service.ts';
import { endOf, issueToken, type Token } from './tokens.ts';
import { isStaffMember, type Course, type Location, type Member } from './world.ts';

/** What a provision request is asked for by; what is left out is chosen. */
export interface ProvisionWish {
  readonly course?: string;
  /** The course that it was copied from; copied now where it was not. */
  readonly from?: string;
  readonly location?: string;
  readonly tool?: string;
}

/**
 * Asks a tool to make a course, or one location of it, ready. "Asked once, and again after about 3
 * hours without a finish call": until then, and until the finish call, the outstanding request is
 * the one that is given.
 */
export function requestProvision(service: Service, wish: ProvisionWish): Launched {
  const { id: course } = courseToProvision(service, wish);
  const location = chooseLocation(service, { ...wish, course });
  const level = {
    tool: launchableTool(service, location.tool).id,
    course,
    location: location.id,
  };
  const token =
    outstandingRequest(service, level) ??
    issueToken(service, { kind: 'provision', ...level, member: '', user: '', account: false });
  return { token, claims: claimsOf(service, token) };
}

function outstandingRequest(service: Service, level: Level): Token | undefined {
  if (isReady(service, level)) return undefined;
  const now = service.clock.now();
  return [...service.tokens.values()].find(
    (token) =>
      token.kind === 'provision' &&
      token.tool === level.tool &&
      token.location === level.location &&
      now - token.issued < PROVISION_RETRY_MS &&
      endOf(token, now) === '',
  );
}

function isReady(service: Service, level: Level): boolean {
  return isFinished(service, level) && isFinished(service, { ...level, location: '' });
}

// ---------------------------------------------------------------- choosing a course

function courseToProvision(service: Service, wish: ProvisionWish): Course {
  const { world } = service;
  if (wish.from !== undefined) return copyOf(service, wish.from, wish.course);
  const id =
    wish.course ??
    (wish.location && found(world.locations.get(wish.location), 'location', wish.location).course);
  if (id !== undefined) return found(world.courses.get(id), 'course', id);
  const courses = [...world.courses.values()].filter(
    (course) => world.locationsOf(course.id, wish.tool).length > 0,
  );
  const waiting = courses.filter((course) => isWaiting(service, course));
  return found([...waiting.filter(isCopy), ...courses.filter(isCopy), ...courses][0], 'course', '');
}

function isCopy(course: Course): boolean {
  return course.parent !== '';
}

/** Whether something in a course is still to be made ready. */
function isWaiting(service: Service, { id: course }: Course): boolean {
  return service.world
    .locationsOf(course)
    .some(({ id: location, tool }) => !isReady(service, { tool, course, location }));
}

// ---------------------------------------------------------------- copies

/** A copy of a course: the one that is named, else one that waits to be made ready, else a new one. */
function copyOf(service: Service, from: string, id: string | undefined): Course {
  const { courses } = service.world;
  const original = found(courses.get(from), 'course', from);
  const known = id === undefined ? undefined : courses.get(id);
  if (known !== undefined) return asCopy(service, known, original);
  const waiting = [...courses.values()].find(
    (course) => course.parent === from && isWaiting(service, course),
  );
  if (id === undefined && waiting !== undefined) return waiting;
  const copy = copied(service, original, id ?? freeId(service, from));
  plantCourse(service, copy);
  return courses.get(copy.id) as Course;
}

function freeId({ world }: Service, from: string): string {
  for (let number = 1; ; number++) {
    const id = number === 1 ? `${from}-copy` : `${from}-copy-${number}`;
    if (!world.courses.has(id)) return id;
  }
}

/** How many students a copied course has: they are others than those of the course before. */
const STUDENTS_OF_A_COPY = 3;

/** A course with the staff and the placements of another, and students of its own. */
function copied({ world }: Service, original: Course, id: string): SeedCourse {
  const staff = [...world.members.values()].filter(
    (member) => member.course === original.id && !member.left && isStaffMember(member),
  );
  return {
    id,
    title: original.title,
    deployment: original.deployment,
    copy_of: original.id,
    codes: original.codes,
    members: staff.map((member) => copiedMember(member, id)),
    students: STUDENTS_OF_A_COPY,
    locations: world.locationsOf(original.id).map((location) => copiedLocation(location, id)),
  };
}

function copiedMember(member: Member, course: string): SeedMember {
  const { user, groups, givenName, familyName, email, lmsUser } = member;
  const names = { given_name: givenName, family_name: familyName, email, lms_user: lmsUser };
  return { id: `${course}-${member.id}`, user, groups, ...names };
}

function copiedLocation(location: Location, course: string): SeedLocation {
  const { tool, extid, type, title, column, gradeUrl } = location;
  return {
    id: `${course}-${location.id}`,
    tool,
    extid,
    type,
    title,
    copy_of: location.id,
    column: column !== null,
    ...(column !== null && { points: column.points }),
    grade_url: gradeUrl,
  };
}

/** A course that there is, as a copy of another: what it was copied from is told only once. */
function asCopy(service: Service, course: Course, original: Course): Course {
  if (course.parent === original.id) return course;
  if (course.parent !== '' || course.id === original.id) {
    throw new Refusal(422, 'provision.from', `course ${course.id} is no copy of ${original.id}`);
  }
  const copy = { ...course, parent: original.id };
  service.world.courses.set(course.id, copy);
  pairLocations(service, course, original);
  return copy;
}

/** Each placement comes from the first of the same tool that none came from yet. */
function pairLocations({ world }: Service, course: Course, original: Course): void {
  const originals = world.locationsOf(original.id);
  for (const location of world.locationsOf(course.id)) {
    const index = originals.findIndex(({ tool }) => tool === location.tool);
    const [parent] = index === -1 ? [] : originals.splice(index, 1);
    if (parent !== undefined) world.locations.set(location.id, { ...location, parent: parent.id });
  }
}
