import { dirname, relative } from 'node:path';
import type { CapturedFile, CapturedRow, LeftOut } from '../../backup/capture.ts';
import { type Disguise, disguiseJson, disguiseWith } from '../../backup/disguise.ts';
import {
  claimAt,
  isProvisionRequest,
  type Launch,
  readObject,
  type RowName,
  STAFF_GROUPS,
} from '../../contract/index.ts';
import { compactJson } from '../../json/index.ts';
import type { Seed } from '../../emulator/index.ts';

/** What was read of a course. */
export interface Captured {
  readonly launch: Launch;
  readonly rows: readonly CapturedRow[];
  readonly leftOut: readonly LeftOut[];
}

export interface SeedOptions {
  /** The path of the seed, to which those of files are relative. */
  readonly file: string;
  readonly withContent: boolean;
  /** Defaults to one that is made of the IDs of the course, which the seed does not show. */
  readonly salt: string | undefined;
}

const TOOL = 'tool';
/** Words that are no names of people or groups. */
const GROUPS: readonly string[] = [...STAFF_GROUPS, 'student', 'learner'];

/**
 * The seed of a captured course, whose course, placement and member are the first of each. Without
 * `withContent` texts, numbers, names and IDs are replaced; keys, sizes and structure stay.
 */
export function seedOf(captured: Captured, { file, withContent, salt }: SeedOptions): Seed {
  const { context, location, member } = captured.launch;
  const secret = salt ?? JSON.stringify([context, location, member]);
  const disguise = withContent ? (text: string) => text : disguiseWith(secret);
  const ids = idsOf(captured, disguise);
  const change = (text: string): string => (withContent ? text : disguisedText(text, disguise));
  return {
    tools: [{ id: TOOL, name: 'The tool' }],
    courses: coursesOf(captured, ids, disguise),
    rows: captured.rows.map(({ name, bytes, files }) => ({
      row: ids.rows[name],
      ...dataOf(change(new TextDecoder().decode(bytes))),
      ...(files.length > 0 && { files: files.map((each) => fileOf(each, file)) }),
    })),
  };
}

/** The new IDs, and the rows that they name. */
function idsOf({ launch, rows, leftOut }: Captured, disguise: Disguise) {
  const idOf = (text: string): string => seedId(disguise(text));
  const course = idOf(launch.context ?? 'course');
  const location = idOf(launch.location ?? 'location');
  const member = isProvisionRequest(launch) ? undefined : idOf(launch.member ?? 'member');
  const names = [...rows.map(({ name }) => name), ...leftOut.map(({ row }) => row)];
  const isCopy = names.some((name) => name.startsWith('parent_'));
  const parent = { course: `parent-of-${course}`, location: `parent-of-${location}` };
  const keys: Readonly<Record<RowName, string>> = {
    context: `context/${TOOL}/${course}`,
    location: `location/${TOOL}/${location}`,
    member: `member/${TOOL}/${member}`,
    member_location: `member_location/${TOOL}/${location}/${member}`,
    parent_context: `context/${TOOL}/${parent.course}`,
    parent_location: `location/${TOOL}/${parent.location}`,
  };
  return { course, location, member, parent: isCopy ? parent : undefined, rows: keys };
}

function coursesOf(
  { launch, leftOut }: Captured,
  { course, location, member, parent }: ReturnType<typeof idsOf>,
  disguise: Disguise,
): Seed['courses'] {
  const shown = (claim: string): string | undefined => {
    const text = claimAt(launch.claims, claim);
    return typeof text === 'string' && text !== '' ? disguise(text) : undefined;
  };
  const isReady = (row: RowName): boolean =>
    !leftOut.some((each) => each.row === row && each.status === 422);
  const placement = given({
    copy_of: parent?.location,
    extid: shown('location.extid'),
    resource_link: shown('resource_link'),
    provisioned: isReady('location'),
    // Without a gradebook column the launch has no grade URL.
    ...(launch.gradeSubmit === null && { column: false, grade_url: false }),
  });
  const about = given({
    copy_of: parent?.course,
    title: shown('course.title') ?? shown('course'),
    deployment: shown('organization.deployment'),
    provisioned: isReady('context'),
  });
  const members =
    member === undefined ? [] : [{ id: member, ...personOf(launch, shown, disguise) }];
  return [
    { id: course, ...about, members, locations: [{ id: location, tool: TOOL, ...placement }] },
    ...(parent ? [{ id: parent.course, locations: [{ id: parent.location, tool: TOOL }] }] : []),
  ];
}

/** Names and email addresses are in the claims of staff only. */
function personOf(
  { groups = [] }: Launch,
  shown: (claim: string) => string | undefined,
  disguise: Disguise,
) {
  return given({
    groups: groups
      .filter((name) => name !== '')
      .map((name) => (GROUPS.includes(name) ? name : disguise(name))),
    given_name: shown('user.given_name'),
    family_name: shown('user.family_name'),
  });
}

/** The fields that have a value. */
function given<Fields extends object>(fields: Fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>;
  };
}

/** An ID as seeds have them: other characters than letters, digits, `.`, `_`, `~` and `-` become `-`. */
function seedId(text: string): string {
  const id = text.replace(/[^A-Za-z0-9._~-]/g, '-').slice(0, 80);
  return /^[A-Za-z0-9]/.test(id) ? id : `x${id}`;
}

function disguisedText(text: string, disguise: Disguise): string {
  const read = readObject(text);
  return 'violation' in read ? '{}' : compactJson(disguiseJson(read.value, disguise));
}

/** The data of a row: an object where that has the same text, and none for a row without data. */
function dataOf(text: string): Pick<NonNullable<Seed['rows']>[number], 'data'> {
  if (text === '{}') return {};
  const object = JSON.parse(text) as Readonly<Record<string, unknown>>;
  return { data: JSON.stringify(object) === text ? object : text };
}

function fileOf({ path, ...record }: CapturedFile, seed: string) {
  return path === undefined ? record : { ...record, path: relative(dirname(seed), path) };
}
