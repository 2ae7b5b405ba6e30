import { EVERYWHERE, DEFAULT_LMS, lmsAt, setPoints } from '../service/grades/lms.ts';
import { lineitemOf } from '../state/seed/seed.ts';
import type { EmulatorState } from '../state/state.ts';
import type { Location } from '../state/world.ts';
import {
  millisecondsIn,
  notFound,
  numberIn,
  objectIn,
  wordField,
  optionalText,
  wrongBody,
  type Body,
} from '../http/fields.ts';
import type { LmsBehaviour, LmsRefusal } from '../state/records.ts';

/** Changes how the LMS behaves, at one location or at all; `ok` is applied first and resets it. */
export function changeLms(state: EmulatorState, body: Body) {
  const id = optionalText(body, 'location');
  const locations = locationsOf(state, id);
  const change = behaviourIn(state, body);
  if (body.ok === true) resetLms(state, id);
  if (Object.keys(change).length > 0) changeBehaviour(state, id, change);
  for (const location of locations) changeLocation(state, location, body);
  return { lms: lmsOf(state, locations) };
}

function locationsOf(state: EmulatorState, id: string | undefined): Location[] {
  const { locations } = state.world;
  if (id === undefined) return [...locations.values()];
  const location = locations.get(id);
  if (location === undefined) throw notFound('location', id);
  return [location];
}

function resetLms({ lms }: EmulatorState, id: string | undefined): void {
  if (id !== undefined) lms.set(id, DEFAULT_LMS);
  else for (const each of [...lms.entries()].map(([key]) => key)) lms.delete(each);
}

/** A change for all locations also applies to those with a behaviour of their own. */
function changeBehaviour(
  { lms }: EmulatorState,
  id: string | undefined,
  change: Partial<LmsBehaviour>,
): void {
  const own = [...lms.entries()].map(([key]) => key);
  for (const key of id === undefined ? new Set([EVERYWHERE, ...own]) : [id]) {
    lms.set(key, { ...lms.get(key), ...change });
  }
}

function behaviourIn(state: EmulatorState, body: Body): Partial<LmsBehaviour> {
  const { refuse } = body;
  return {
    ...(refuse === null && { refuse }),
    ...(refuse !== null && refuse !== undefined && { refuse: refusalIn(state, refuse) }),
    ...(body.scope !== undefined && { scope: wordField(body, 'scope', ['score', 'lineitem']) }),
    ...(body.slow_ms !== undefined && { slowMs: millisecondsIn(body, 'slow_ms') }),
    ...(body.column !== undefined && { column: wordField(body, 'column', ['present', 'missing']) }),
  };
}

/** Statuses of an LMS that refuses a score. */
const REFUSAL_STATUSES = { from: 300, to: 599 };
const TIMES_RANGE = { from: 1, to: 1_000_000_000 };

function refusalIn(state: EmulatorState, refuse: unknown): LmsRefusal {
  const body = objectIn({ refuse }, 'refuse');
  const { body: said, status = 422, members, percent, times } = body;
  return {
    status: wholeNumberIn({ status }, 'status', REFUSAL_STATUSES),
    body: typeof said === 'string' ? said : said === undefined ? '' : JSON.stringify(said),
    ...(members !== undefined && { members: membersIn(state, members) }),
    ...(percent !== undefined && { percent: percentIn(body) }),
    ...(times !== undefined && { times: wholeNumberIn(body, 'times', TIMES_RANGE) }),
  };
}

function membersIn({ world }: EmulatorState, members: unknown): readonly string[] {
  if (!Array.isArray(members) || members.length === 0) {
    throw wrongBody('members must be a list of member IDs');
  }
  for (const id of members) if (!world.members.has(id)) throw notFound('member', String(id));
  return members;
}

function percentIn(body: Body): number {
  const percent = numberIn(body, 'percent');
  if (percent >= 0 && percent <= 100) return percent;
  throw wrongBody('percent must be from 0 to 100');
}

function wholeNumberIn(body: Body, field: string, { from, to }: typeof REFUSAL_STATUSES): number {
  const number = numberIn(body, field);
  if (Number.isInteger(number) && number >= from && number <= to) return number;
  throw wrongBody(`${field} must be a whole number from ${from} to ${to}`);
}

/** Changes the location itself: its column, the column's points, whether it has a grade URL. */
function changeLocation(state: EmulatorState, { id, type }: Location, body: Body): void {
  const { locations } = state.world;
  const current = (): Location => locations.get(id) as Location;
  if (body.column === 'present' && type === 'assessment' && current().column === null) {
    locations.set(id, { ...current(), column: { lineitem: lineitemOf(id), points: 100 } });
  }
  if (body.grade_url !== undefined) {
    const gradeUrl = wordField(body, 'grade_url', ['present', 'null']) === 'present';
    locations.set(id, { ...current(), gradeUrl });
  }
  if (body.points !== undefined) setPoints(state, id, numberAbove(0, body, 'points'));
}

function numberAbove(bound: number, body: Body, field: string): number {
  const value = numberIn(body, field);
  if (value <= bound) throw wrongBody(`${field} must be greater than ${bound}`);
  return value;
}

/** How the LMS behaves now, by location. */
function lmsOf(state: EmulatorState, locations: readonly Location[]) {
  const behaviours = locations.map(({ id }) => {
    const { slowMs, ...more } = lmsAt(state, id);
    const points = state.world.locations.get(id)?.column?.points ?? null;
    return [id, { ...more, slow_ms: slowMs, points }] as const;
  });
  return Object.fromEntries(behaviours);
}
