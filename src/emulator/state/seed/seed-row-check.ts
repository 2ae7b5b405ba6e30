import {
  checkQuota,
  checkRowBody,
  explainViolation,
  isCertain,
  type RowKind,
  type Violation,
} from '../../../contract/index.ts';
import type { ShapeFault } from '../../../schema/check.ts';
import { rowBytes } from './seed-rows.ts';
import { type Seed, studentId } from './seed.ts';

/** Faults of the rows of a seed: their addresses, and the limits of the contract. */
export function* checkRows(seed: Seed): Generator<ShapeFault> {
  if (seed.rows === undefined) return;
  const known = rowsOf(seed);
  const first = new Map<string, string>();
  for (const [index, { row = '', data, files = [] }] of seed.rows.entries()) {
    const path = `/rows/${index}`;
    const before = first.get(row);
    first.set(row, before ?? path);
    if (before !== undefined) {
      yield { path, message: `the row ${row} is at ${before} too`, hint: 'name each row once' };
    }
    if (!known(row)) {
      const hint = 'KIND/TOOL/ID with the IDs of this seed, such as member/TOOL/MEMBER';
      yield { path: `${path}/row`, message: `no row ${row}`, hint };
      continue;
    }
    const kind = row.split('/')[0] as RowKind;
    if (data !== undefined) {
      yield* refused(`${path}/data`, checkRowBody(kind, rowBytes(data)).violations);
    }
    for (const [at, { key, size }] of files.entries()) {
      const others = files.slice(0, at);
      if (others.some((each) => each.key === key)) {
        const message = `duplicate of the file ${key}`;
        yield { path: `${path}/files/${at}/key`, message, hint: 'it must be unique' };
      }
      yield* refused(`${path}/files/${at}`, checkQuota(kind, others, key, size));
    }
  }
}

function* refused(path: string, violations: readonly Violation[]): Generator<ShapeFault> {
  for (const each of violations.filter(isCertain)) {
    const { message, hint } = explainViolation(each);
    yield { path, message, hint };
  }
}

/** Whether the key of a row names tools, courses, locations and members of a seed that belong together. */
function rowsOf({ courses }: Seed): (row: string) => boolean {
  const members = new Map<string, string>();
  const locations = new Map<string, { readonly course: string; readonly tool: string }>();
  const placed = new Set<string>();
  for (const each of courses) {
    const { id: course, members: people = [], students = 0, locations: places = [] } = each;
    for (const { id } of people) members.set(id, course);
    for (let number = 1; number <= students; number++) {
      members.set(studentId(course, number), course);
    }
    for (const { id, tool } of places) {
      locations.set(id, { course, tool });
      placed.add(`${tool}/${course}`);
    }
  }
  return (row) => {
    const [kind, tool = '', id = '', member = ''] = row.split('/');
    if (kind === 'context') return placed.has(`${tool}/${id}`);
    if (kind === 'member') return placed.has(`${tool}/${members.get(id) ?? ''}`);
    const at = locations.get(id);
    return at?.tool === tool && (kind === 'location' || members.get(member) === at.course);
  };
}
