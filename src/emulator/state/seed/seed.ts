import { isHeaderText } from '../../../contract/index.ts';
import * as s from '../../../schema/schema.ts';
import { addLocation, finishLevel } from '../rows.ts';
import { applyRows, SEED_ROW } from './seed-rows.ts';
import type { EmulatorState } from '../state.ts';
import {
  ID as STORED_ID,
  TOOL_ADDRESS,
  TOOL_SERVER,
  TOOL_STATUS,
  TOOL_VERSION,
  type Course,
  type Location,
  type Member,
  type Tool,
  type ToolVersion,
} from '../world.ts';

const ID = s.typed<string>({
  ...STORED_ID,
  maxLength: 100,
  description: '1 to 100 letters, digits, ".", "_", "~" or "-", the first a letter or digit',
});
const text = s.titled(
  s.nonEmptyText,
  'a non-empty string',
  'put it in quotes, or leave the field out',
);
const flag = s.titled(s.bool, 'true or false', 'without quotes, or leave the field out');
const positive = s.titled(
  s.positive,
  'a number greater than 0',
  'without quotes, or leave the field out',
);
const secret = s.checked(isHeaderText, 'a key', 'use visible ASCII characters without spaces');

const TOOL = s.closed(
  s.object({
    id: ID,
    'name?': text,
    'hosted?': flag,
    'status?': TOOL_STATUS,
    'api_key?': secret,
    'code?': s.titled(
      s.oneOf('example'),
      'example',
      'the code of a hosted tool that comes with lectern; upload any other',
    ),
    'versions?': s.list(
      s.closed(
        s.object({
          'number?': s.integerIn(1),
          'visibility?': TOOL_VERSION.visibility,
          'state?': TOOL_VERSION.state,
          'deprecated?': flag,
        }),
      ),
      1,
    ),
    'current?': s.integerIn(1),
    'pilot?': s.integerIn(1),
    /** URL that an external tool is launched at, by a form. */
    'callback?': TOOL_ADDRESS,
    /** URLs that provision and locations requests are sent to. */
    'provision_url?': TOOL_SERVER,
    'locations_url?': TOOL_SERVER,
  }),
);
export type SeedTool = s.Static<typeof TOOL>;

const MEMBER = s.closed(
  s.object({
    id: ID,
    'user?': ID,
    'groups?': s.list(text),
    'given_name?': text,
    'family_name?': text,
    'email?': text,
    'lms_user?': text,
  }),
);
export type SeedMember = s.Static<typeof MEMBER>;

const LOCATION = s.closed(
  s.object({
    id: ID,
    tool: ID,
    'extid?': text,
    'type?': text,
    'title?': text,
    'resource_link?': text,
    'copy_of?': ID,
    /** Whether there is a gradebook column; without one, the location was never deep-linked. */
    'column?': flag,
    'lineitem?': text,
    'points?': positive,
    'grade_url?': flag,
    /** Whether the row of the location is provisioned; defaults to that of the course. */
    'provisioned?': flag,
  }),
);
export type SeedLocation = s.Static<typeof LOCATION>;

const COURSE = s.closed(
  s.object({
    id: ID,
    'title?': text,
    'deployment?': text,
    /** The course that this one was copied from. */
    'copy_of?': ID,
    /** Whether the shared rows are provisioned; defaults to true except for a copied course. */
    'provisioned?': flag,
    'codes?': s.mapOf(text),
    'members?': s.list(MEMBER),
    /** Number of students in addition to the members. */
    'students?': s.integerIn(0, 100_000),
    'locations?': s.list(LOCATION),
  }),
);
export type SeedCourse = s.Static<typeof COURSE>;

/** The initial world, in the form of a seed file. Optional fields have defaults. */
export const SEED = s.closed(
  s.object({
    // For editors.
    '$schema?': s.text,
    tools: s.list(TOOL, 1),
    courses: s.list(COURSE, 1),
    'rows?': s.list(SEED_ROW),
  }),
);
export type Seed = s.Static<typeof SEED>;

const DEFAULT_POINTS = 100;

/** Adds a seed's tools, courses, members and locations to the store. */
export function applySeed(state: EmulatorState, seed: Seed): void {
  for (const tool of seed.tools) state.world.tools.put(toolOf(state, tool));
  for (const course of seed.courses) applyCourse(state, course);
  applyRows(state, seed.rows ?? []);
}

export function applyCourse(state: EmulatorState, course: SeedCourse): void {
  const { world } = state;
  world.courses.put(courseOf(course));
  const students = Array.from({ length: course.students ?? 0 }, (_, index) =>
    numberedStudent(course.id, index + 1),
  );
  for (const member of [...(course.members ?? []), ...students]) {
    world.members.put(memberOf(course.id, member));
  }
  const isReady = course.provisioned ?? course.copy_of === undefined;
  for (const location of course.locations ?? []) {
    addLocation(state, locationOf(course, location));
    const { tool, id, provisioned = isReady } = location;
    const level = { tool, course: course.id };
    if (isReady) finishLevel(state, { ...level, location: '' });
    if (provisioned) finishLevel(state, { ...level, location: id });
  }
}

function toolOf(state: EmulatorState, tool: SeedTool): Tool {
  const versions = (tool.versions ?? [{}]).map(versionOf);
  return {
    name: tool.id,
    hosted: false,
    status: 'active',
    current: versions.findLast((each) => each.state === 'published')?.number ?? 0,
    pilot: 0,
    api_key: state.newToken('key_'),
    ...tool,
    ...(tool.hosted && { api_key: '' }),
    versions,
  };
}

function versionOf(version: Partial<ToolVersion>, index: number): ToolVersion {
  const defaults = { visibility: 'private', state: 'published', deprecated: false } as const;
  return { number: index + 1, ...defaults, ...version };
}

function courseOf({ id, title = id, deployment = 'campus-lms', ...course }: SeedCourse): Course {
  return { id, title, deployment, parent: course.copy_of ?? '', codes: course.codes ?? {} };
}

function memberOf(course: string, member: SeedMember): Member {
  const user = userOf(member);
  return {
    course,
    user,
    groups: ['student'],
    given_name: 'Given',
    family_name: member.id,
    email: `${user}@campus.example`,
    lms_user: `lms-id-of-${user}`,
    ...member,
    left: false,
  };
}

export function userOf({ id, user = `user-of-${id}` }: Pick<SeedMember, 'id' | 'user'>): string {
  return user;
}

const GIVEN = 'Amina Bo Chidi Dana Elif Femi Greta Hana Ivo Jun'.split(' ');
const FAMILY = 'Abara Berg Costa Dahl Endo Fofana Garcia Haas Ito Jansen'.split(' ');

/** The ID of a generated student, counted from 1. */
export function studentId(course: string, number: number): string {
  return `${course}-student-${number}`;
}

function numberedStudent(course: string, number: number): SeedMember {
  return {
    id: studentId(course, number),
    given_name: GIVEN[number % GIVEN.length] ?? '',
    family_name: FAMILY[Math.floor(number / GIVEN.length) % FAMILY.length] ?? '',
  };
}

function locationOf({ id: course }: SeedCourse, location: SeedLocation): Location {
  const { id, type = 'assessment', points = DEFAULT_POINTS } = location;
  const { lineitem = lineitemOf(id), column = type === 'assessment', tool } = location;
  return {
    id,
    course,
    tool,
    type,
    extid: location.extid ?? `ext-${id}`,
    title: location.title ?? id,
    resource_link: location.resource_link ?? `link-${id}`,
    parent: location.copy_of ?? '',
    column: column ? { lineitem, points } : null,
    grade_url: location.grade_url ?? true,
  };
}

/** A gradebook column as an LMS names it: a URL of the LMS. */
export function lineitemOf(location: string): string {
  return `https://lms.example/api/line_items/${location}`;
}
