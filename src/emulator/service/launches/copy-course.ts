import { requireFound } from '../../http/fields.ts';
import { HttpError } from '../../http/messages.ts';
import { isWaiting } from '../../state/provisioned.ts';
import {
  applyCourse,
  type SeedCourse,
  type SeedLocation,
  type SeedMember,
} from '../../state/seed/seed.ts';
import type { EmulatorState } from '../../state/state.ts';
import { isStaffMember, type Course, type Location, type Member } from '../../state/world.ts';

/** A copy of a course: the given one, or else one that is not provisioned yet, or else a new one. */
export function findOrMakeCopy(state: EmulatorState, from: string, id: string | undefined): Course {
  const { courses } = state.world;
  const original = requireFound(courses.get(from), 'course', from);
  const known = id === undefined ? undefined : courses.get(id);
  if (known !== undefined) return markAsCopy(state, known, original);
  const waiting = [...courses.values()].find(
    (course) => course.parent === from && isWaiting(state, course),
  );
  if (id === undefined && waiting !== undefined) return waiting;
  const copy = copyOfCourse(state, original, id ?? freeId(state, from));
  applyCourse(state, copy);
  return courses.get(copy.id) as Course;
}

function freeId({ world }: EmulatorState, from: string): string {
  for (let number = 1; ; number++) {
    const id = number === 1 ? `${from}-copy` : `${from}-copy-${number}`;
    if (!world.courses.has(id)) return id;
  }
}

const STUDENTS_OF_A_COPY = 3;

/** A course with the staff and the placements of another, and students of its own. */
function copyOfCourse({ world }: EmulatorState, original: Course, id: string): SeedCourse {
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
  state.world.courses.set(course.id, copy);
  pairLocations(state, course, original);
  return copy;
}

/** Pairs each location with the first unpaired location of the same tool. */
function pairLocations({ world }: EmulatorState, course: Course, original: Course): void {
  const originals = world.locationsOf(original.id);
  for (const location of world.locationsOf(course.id)) {
    const index = originals.findIndex(({ tool }) => tool === location.tool);
    const [parent] = index === -1 ? [] : originals.splice(index, 1);
    if (parent !== undefined) world.locations.set(location.id, { ...location, parent: parent.id });
  }
}
