import { finishLevel } from '../provisioned.ts';
import type { EmulatorState } from '../state.ts';
import type { Course, Location, Member, Tool, ToolVersion } from '../world.ts';

/** The initial world, in the form of a seed file. Optional fields have defaults. */
export interface Seed {
  readonly tools: readonly SeedTool[];
  readonly courses: readonly SeedCourse[];
}

export interface SeedTool {
  readonly id: string;
  readonly name?: string;
  readonly hosted?: boolean;
  readonly status?: Tool['status'];
  readonly api_key?: string;
  readonly versions?: readonly Partial<ToolVersion>[];
  readonly current?: number;
  readonly pilot?: number;
  /** URL that an external tool is launched at, by a form. */
  readonly callback?: string;
  /** URLs that provision and locations requests are sent to. */
  readonly provision_url?: string;
  readonly locations_url?: string;
}

export interface SeedCourse {
  readonly id: string;
  readonly title?: string;
  readonly deployment?: string;
  /** The course that this one was copied from. */
  readonly copy_of?: string;
  /** Whether the shared rows are provisioned; defaults to true except for a copied course. */
  readonly provisioned?: boolean;
  readonly codes?: Readonly<Record<string, string>>;
  readonly members?: readonly SeedMember[];
  /** Number of students in addition to the members. */
  readonly students?: number;
  readonly locations?: readonly SeedLocation[];
}

export interface SeedMember {
  readonly id: string;
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly given_name?: string;
  readonly family_name?: string;
  readonly email?: string;
  readonly lms_user?: string;
}

export interface SeedLocation {
  readonly id: string;
  readonly tool: string;
  readonly extid?: string;
  readonly type?: string;
  readonly title?: string;
  readonly resource_link?: string;
  readonly copy_of?: string;
  /** Whether there is a gradebook column; without one, the location was never deep-linked. */
  readonly column?: boolean;
  readonly lineitem?: string;
  readonly points?: number;
  readonly grade_url?: boolean;
}

const DEFAULT_POINTS = 100;

/** Adds a seed's tools, courses, members and locations to the store. */
export function applySeed(state: EmulatorState, seed: Seed): void {
  for (const tool of seed.tools) state.world.tools.set(tool.id, toolOf(state, tool));
  for (const course of seed.courses) applyCourse(state, course);
}

/** Adds one course of a seed to the store. */
export function applyCourse(state: EmulatorState, course: SeedCourse): void {
  const { world } = state;
  world.courses.set(course.id, courseOf(course));
  const students = Array.from({ length: course.students ?? 0 }, (_, index) =>
    numberedStudent(course.id, index + 1),
  );
  for (const member of [...(course.members ?? []), ...students]) {
    world.members.set(member.id, memberOf(course.id, member));
  }
  for (const location of course.locations ?? []) {
    world.locations.set(location.id, locationOf(course, location));
    if (course.provisioned ?? course.copy_of === undefined) provision(state, course, location);
  }
}

function provision(state: EmulatorState, course: SeedCourse, { id, tool }: SeedLocation): void {
  finishLevel(state, { tool, course: course.id, location: '' });
  finishLevel(state, { tool, course: course.id, location: id });
}

function toolOf(state: EmulatorState, tool: SeedTool): Tool {
  const hosted = tool.hosted === true;
  const versions = (tool.versions ?? [{}]).map(versionOf);
  return {
    id: tool.id,
    name: tool.name ?? tool.id,
    hosted,
    status: tool.status ?? 'active',
    apiKey: hosted ? '' : (tool.api_key ?? `key_${state.secret()}`),
    versions,
    current: tool.current ?? versions.length,
    pilot: tool.pilot ?? 0,
    ...(tool.callback !== undefined && { callback: tool.callback }),
    ...(tool.provision_url !== undefined && { provisionUrl: tool.provision_url }),
    ...(tool.locations_url !== undefined && { locationsUrl: tool.locations_url }),
  };
}

function versionOf(version: Partial<ToolVersion>, index: number): ToolVersion {
  const { number = index + 1, visibility = 'private', state = 'published' } = version;
  return { number, visibility, state, deprecated: version.deprecated === true };
}

function courseOf(course: SeedCourse): Course {
  return {
    id: course.id,
    title: course.title ?? course.id,
    deployment: course.deployment ?? 'campus-lms',
    parent: course.copy_of ?? '',
    codes: course.codes ?? {},
  };
}

function memberOf(course: string, member: SeedMember): Member {
  const user = member.user ?? `user-of-${member.id}`;
  return {
    id: member.id,
    user,
    course,
    groups: member.groups ?? ['student'],
    givenName: member.given_name ?? 'Given',
    familyName: member.family_name ?? member.id,
    email: member.email ?? `${user}@campus.example`,
    lmsUser: member.lms_user ?? `lms-id-of-${user}`,
    left: false,
  };
}

const GIVEN = ['Amina', 'Bo', 'Chidi', 'Dana', 'Elif', 'Femi', 'Greta', 'Hana', 'Ivo', 'Jun'];
const FAMILY = [
  'Abara',
  'Berg',
  'Costa',
  'Dahl',
  'Endo',
  'Fofana',
  'Garcia',
  'Haas',
  'Ito',
  'Jansen',
];

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

function locationOf(course: SeedCourse, location: SeedLocation): Location {
  const type = location.type ?? 'assessment';
  const lineitem = location.lineitem ?? lineitemOf(location.id);
  const hasColumn = location.column ?? type === 'assessment';
  return {
    id: location.id,
    course: course.id,
    tool: location.tool,
    extid: location.extid ?? `ext-${location.id}`,
    type,
    title: location.title ?? location.id,
    resourceLink: location.resource_link ?? `link-${location.id}`,
    parent: location.copy_of ?? '',
    column: hasColumn ? { lineitem, points: location.points ?? DEFAULT_POINTS } : null,
    gradeUrl: location.grade_url ?? true,
  };
}

/** A gradebook column as an LMS names it: a URL of the LMS. */
export function lineitemOf(location: string): string {
  return `https://lms.example/api/line_items/${location}`;
}
