import { escapeToken } from '../../../json/index.ts';
import { checkShape, type ShapeFault } from '../../../schema/check.ts';
import { SEED, studentId, type Seed, type SeedCourse, type SeedTool } from './seed.ts';

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

/** All faults of a seed: of its shape or, if that is valid, of its names. */
export function checkSeed(value: unknown): SeedFault[] {
  const faults = checkShape(SEED, value);
  return faults.length > 0 ? faults : checkNames(value as Seed);
}

function checkNames(seed: Seed): SeedFault[] {
  return [
    ...duplicates(seed.tools.map(({ id }, index) => [id, `/tools/${index}/id`])),
    ...duplicates(
      seed.tools.flatMap(({ api_key: key }, index) =>
        key === undefined ? [] : [[key, `/tools/${index}/api_key`] as const],
      ),
    ),
    ...seed.tools.flatMap((tool, index) => checkTool(tool, `/tools/${index}`)),
    ...duplicates(seed.courses.map(({ id }, index) => [id, `/courses/${index}/id`])),
    ...duplicates(idsIn(seed, 'locations')),
    ...duplicates([...idsIn(seed, 'members'), ...numberedStudents(seed)]),
    ...seed.courses.flatMap((course, index) => checkCourse(seed, course, `/courses/${index}`)),
  ];
}

type Named = readonly (readonly [name: string, path: string])[];

/** Names that occur twice but must be unique. */
function duplicates(names: Named): SeedFault[] {
  const first = new Map<string, string>();
  return names.flatMap(([name, path]) => {
    const known = first.get(name);
    first.set(name, known ?? path);
    if (known === undefined) return [];
    const message = `duplicate of ${JSON.stringify(name)} at ${known}`;
    return [{ path, message, hint: 'it must be unique' }];
  });
}

function idsIn(seed: Seed, kind: 'locations' | 'members'): Named {
  return seed.courses.flatMap((course, index) =>
    (course[kind] ?? []).map(({ id }, at) => [id, `/courses/${index}/${kind}/${at}/id`] as const),
  );
}

function numberedStudents(seed: Seed): Named {
  return seed.courses.flatMap(({ id, students = 0 }, index) =>
    Array.from(
      { length: students },
      (_, at) => [studentId(id, at + 1), `/courses/${index}/students`] as const,
    ),
  );
}

function numbersOf({ versions = [{}] }: SeedTool): number[] {
  return versions.map(({ number }, index) => number ?? index + 1);
}

function checkTool(tool: SeedTool, path: string): SeedFault[] {
  const numbers = numbersOf(tool);
  const unknown = (['current', 'pilot'] as const).filter(
    (code) => tool[code] !== undefined && !numbers.includes(tool[code]),
  );
  return [
    ...duplicates(numbers.map((number, index) => [String(number), `${path}/versions/${index}`])),
    ...unknown.map((code) => ({
      path: `${path}/${code}`,
      message: `no version ${tool[code]}`,
      hint: `the versions are ${numbers.join(', ')}`,
    })),
    ...serverFieldsOf(tool).map((field) => ({
      path: `${path}/${field}`,
      message: 'a hosted tool has no server',
      hint: `leave ${field} out, or make it an external tool`,
    })),
    ...(tool.hosted !== true && tool.code !== undefined
      ? [
          {
            path: `${path}/code`,
            message: 'an external tool runs on its own server',
            hint: 'leave code out, or make it a hosted tool',
          },
        ]
      : []),
    ...(tool.hosted === true && tool.api_key !== undefined
      ? [
          {
            path: `${path}/api_key`,
            message: 'a hosted tool has no API key',
            hint: 'leave api_key out, or make it an external tool',
          },
        ]
      : []),
  ];
}

function serverFieldsOf(tool: SeedTool): string[] {
  if (tool.hosted !== true) return [];
  const fields = ['callback', 'provision_url', 'locations_url'] as const;
  return fields.filter((field) => tool[field] !== undefined);
}

function checkCourse(seed: Seed, course: SeedCourse, path: string): SeedFault[] {
  const { members = [], codes = {}, copy_of: original } = course;
  const users = members.flatMap(({ user }, index) =>
    user === undefined ? [] : [[user, `${path}/members/${index}/user`] as const],
  );
  return [
    ...duplicates(users),
    ...(original === undefined ? [] : checkOriginal(seed, course, original, path)),
    ...Object.entries(codes).flatMap(([tool, code]) =>
      checkCode(seed, tool, code, `${path}/codes/${escapeToken(tool)}`),
    ),
    ...(course.locations ?? []).flatMap((location, index) =>
      checkLocation(seed, course, location, `${path}/locations/${index}`),
    ),
  ];
}

function checkOriginal(
  { courses }: Seed,
  { id }: SeedCourse,
  original: string,
  path: string,
): SeedFault[] {
  if (original !== id && courses.some((each) => each.id === original)) return [];
  const message = original === id ? 'a course cannot be a copy of itself' : `no course ${original}`;
  return [{ path: `${path}/copy_of`, message, hint: 'name another course of this seed' }];
}

/** "A code names the version a course adopts: current, pilot, or a number." */
function checkCode({ tools }: Seed, id: string, code: string, path: string): SeedFault[] {
  const tool = tools.find((each) => each.id === id);
  if (tool === undefined) return [unknownTool(id, path)];
  const known = [
    'current',
    ...(tool.pilot === undefined ? [] : ['pilot']),
    ...numbersOf(tool).map(String),
  ];
  if (known.includes(code)) return [];
  return [{ path, message: `no version ${code}`, hint: `use one of ${known.join(', ')}` }];
}

function unknownTool(id: string, path: string): SeedFault {
  return { path, message: `no tool ${id}`, hint: 'name a tool of this seed' };
}

function checkLocation(
  seed: Seed,
  course: SeedCourse,
  { tool, copy_of: from }: NonNullable<SeedCourse['locations']>[number],
  path: string,
): SeedFault[] {
  const isTool = seed.tools.some(({ id }) => id === tool);
  const original = seed.courses.find(({ id }) => id === course.copy_of)?.locations ?? [];
  const isThere = original.some((each) => each.id === from && each.tool === tool);
  return [
    ...(isTool ? [] : [unknownTool(tool, `${path}/tool`)]),
    ...(from === undefined || isThere
      ? []
      : [
          {
            path: `${path}/copy_of`,
            message: `the copied course has no location ${from} of the tool`,
            hint: 'give the course a copy_of, and name a location of that course',
          },
        ]),
  ];
}
