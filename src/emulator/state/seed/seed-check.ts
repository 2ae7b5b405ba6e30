import { escapeToken, parsePointer } from '../../../json/index.ts';
import { checkShape, type ShapeFault } from '../../../schema/check.ts';
import { checkRows } from './seed-row-check.ts';
import {
  SEED,
  studentId,
  userOf,
  type Seed,
  type SeedCourse,
  type SeedLocation,
  type SeedTool,
} from './seed.ts';

/** A fault of a seed: what is wrong, where, and a hint. */
export type SeedFault = ShapeFault;

export class SeedError extends Error {
  override readonly name = 'SeedError';
  readonly faults: readonly SeedFault[];

  constructor(faults: readonly SeedFault[]) {
    const [first] = faults;
    super(`invalid seed at ${first?.path === '' ? 'its root' : first?.path}: ${first?.message}`);
    this.faults = faults;
  }
}

/** All faults of a seed: of its shape, and of its names as far as they can be read. */
export function checkSeed(value: unknown): SeedFault[] {
  const faults = checkShape(SEED, value);
  if (faults.length === 0) return [...checkNames(value as Seed)];
  if (faults.some(({ path }) => WHOLE.has(path))) return faults;
  const isOfFault = (path: string): boolean =>
    faults.some((fault) => `${path}/`.startsWith(`${fault.path}/`));
  const names = [...checkNames(readableParts(value as Seed, faults))];
  return [...faults, ...names.filter(({ path }) => !isOfFault(path))];
}

/** Without these lists every name in the others would be unknown. */
const WHOLE: ReadonlySet<string> = new Set(['', '/tools', '/courses']);

/** A seed without what has a wrong shape; an element of a list stays, so that paths stay the same. */
function readableParts(value: Seed, faults: readonly SeedFault[]): Seed {
  const seed = structuredClone(value);
  for (const { path } of faults) {
    const names = parsePointer(path) ?? [];
    const last = names.pop() ?? '';
    let parent: unknown = seed;
    for (const name of names) parent = (parent as Record<string, unknown> | undefined)?.[name];
    if (Array.isArray(parent)) parent[Number(last)] = {};
    else if (typeof parent === 'object' && parent !== null) Reflect.deleteProperty(parent, last);
  }
  return seed;
}

function* checkNames(seed: Seed): Generator<SeedFault> {
  const { tools, courses } = seed;
  yield* duplicates(tools.map(({ id }, index) => [id, `/tools/${index}/id`]));
  yield* duplicates(tools.map(({ api_key: key }, index) => [key, `/tools/${index}/api_key`]));
  for (const [index, tool] of tools.entries()) yield* checkTool(tool, `/tools/${index}`);
  yield* duplicates(courses.map(({ id }, index) => [id, `/courses/${index}/id`]));
  yield* duplicates(idsIn(seed, 'locations'));
  yield* duplicates([...idsIn(seed, 'members'), ...numberedStudents(seed)]);
  for (const [index, course] of courses.entries()) {
    yield* checkCourse(seed, course, `/courses/${index}`);
  }
  yield* checkRows(seed);
}

type Named = readonly (readonly [name: string | undefined, path: string])[];

/** Names that occur twice but must be unique. */
function* duplicates(names: Named): Generator<SeedFault> {
  const first = new Map<string, string>();
  for (const [name, path] of names) {
    if (name === undefined) continue;
    const known = first.get(name);
    first.set(name, known ?? path);
    if (known === undefined) continue;
    const message = `duplicate of ${JSON.stringify(name)} at ${known}`;
    yield { path, message, hint: 'it must be unique' };
  }
}

function idsIn({ courses }: Seed, kind: 'locations' | 'members'): Named {
  return courses.flatMap((course, index) =>
    (course[kind] ?? []).map(({ id }, at) => [id, `/courses/${index}/${kind}/${at}/id`] as const),
  );
}

function numberedStudents({ courses }: Seed): Named {
  return courses.flatMap(({ id, students = 0 }, index) =>
    Array.from(
      { length: students },
      (_, at) => [studentId(id, at + 1), `/courses/${index}/students`] as const,
    ),
  );
}

function numbersOf({ versions = [{}] }: SeedTool): number[] {
  return versions.map(({ number }, index) => number ?? index + 1);
}

const NO_SERVER = 'a hosted tool has no server';

/** Fields that only the other kind of tool has. */
const NOT_HOSTED = {
  callback: NO_SERVER,
  provision_url: NO_SERVER,
  locations_url: NO_SERVER,
  api_key: 'a hosted tool has no API key',
};
const NOT_EXTERNAL = { code: 'an external tool runs on its own server' };

function* checkTool(tool: SeedTool, path: string): Generator<SeedFault> {
  const numbers = numbersOf(tool);
  yield* duplicates(numbers.map((number, at) => [String(number), `${path}/versions/${at}`]));
  for (const code of ['current', 'pilot'] as const) {
    const number = tool[code];
    if (number === undefined || numbers.includes(number)) continue;
    const hint = `the versions are ${numbers.join(', ')}`;
    yield { path: `${path}/${code}`, message: `no version ${number}`, hint };
  }
  const isHosted = tool.hosted === true;
  for (const [field, message] of Object.entries(isHosted ? NOT_HOSTED : NOT_EXTERNAL)) {
    if (tool[field as keyof SeedTool] === undefined) continue;
    const hint = `leave ${field} out, or make it ${isHosted ? 'an external' : 'a hosted'} tool`;
    yield { path: `${path}/${field}`, message, hint };
  }
}

function* checkCourse(seed: Seed, course: SeedCourse, path: string): Generator<SeedFault> {
  const { id, members = [], codes = {}, copy_of: original, locations = [] } = course;
  const students = Array.from({ length: course.students ?? 0 }, (_, at) => studentId(id, at + 1));
  yield* duplicates([
    ...students.map((student) => [userOf({ id: student }), `${path}/students`] as const),
    ...members.map((each, at) => [userOf(each), `${path}/members/${at}/user`] as const),
  ]);
  const isItself = original === id;
  if (original !== undefined && (isItself || !seed.courses.some((each) => each.id === original))) {
    const message = isItself ? 'a course cannot be a copy of itself' : `no course ${original}`;
    yield { path: `${path}/copy_of`, message, hint: 'name another course of this seed' };
  }
  for (const [tool, code] of Object.entries(codes)) {
    yield* checkCode(seed, tool, code, `${path}/codes/${escapeToken(tool)}`);
  }
  for (const [index, location] of locations.entries()) {
    yield* checkLocation(seed, course, location, `${path}/locations/${index}`);
  }
}

/** "A code names the version a course adopts: current, pilot, or a number." */
function* checkCode({ tools }: Seed, id: string, code: string, path: string): Generator<SeedFault> {
  const tool = tools.find((each) => each.id === id);
  if (tool === undefined) {
    yield unknownTool(id, path);
    return;
  }
  const pilot = tool.pilot === undefined ? [] : ['pilot'];
  const known = ['current', ...pilot, ...numbersOf(tool).map(String)];
  if (known.includes(code)) return;
  yield { path, message: `no version ${code}`, hint: `use one of ${known.join(', ')}` };
}

function unknownTool(id: string, path: string): SeedFault {
  return { path, message: `no tool ${id}`, hint: 'name a tool of this seed' };
}

function* checkLocation(
  { tools, courses }: Seed,
  course: SeedCourse,
  { tool, copy_of: from }: SeedLocation,
  path: string,
): Generator<SeedFault> {
  if (!tools.some(({ id }) => id === tool)) yield unknownTool(tool, `${path}/tool`);
  const original = courses.find(({ id }) => id === course.copy_of)?.locations ?? [];
  const isThere = original.some((each) => each.id === from && each.tool === tool);
  if (from === undefined || isThere) return;
  const message = `the copied course has no location ${from} of the tool`;
  const hint = 'give the course a copy_of, and name a location of that course';
  yield { path: `${path}/copy_of`, message, hint };
}
