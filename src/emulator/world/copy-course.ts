import { found } from './launch-request.ts';
import { Refusal } from '../http/messages.ts';
import { isWaiting } from '../service/provisioning.ts';
import { plantCourse, type SeedCourse, type SeedLocation, type SeedMember } from './seed.ts';
import type { Service } from '../state.ts';
import { isStaffMember, type Course, type Location, type Member } from './world.ts';

/** A copy of a course: the one that is named, else one that waits to be made ready, else a new one. */
export function copyOf(service: Service, from: string, id: string | undefined): Course {
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
