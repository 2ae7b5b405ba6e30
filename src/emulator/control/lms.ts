import { EVERYWHERE, DEFAULT_LMS, lmsAt, setPoints } from '../service/grades/lms.ts';
import { lineitemOf } from '../state/seed/seed.ts';
import type { EmulatorState } from '../state/state.ts';
import type { Location } from '../state/world.ts';
import { schemasOf } from '../../control-api/schemas.ts';
import { TAKEN } from '../../control-api/taken.ts';
import * as s from '../../schema/schema.ts';
import { notFound, wrongBody } from '../http/refusals.ts';
import { LMS, type LmsBehaviour, type LmsRefusal } from '../state/records.ts';
import { operation } from './operation.ts';

const REFUSE = s.object({ ...schemasOf(TAKEN.refuse), 'body?': s.any });

const CHANGE = s.object({
  ...schemasOf(TAKEN.lms),
  'ok?': s.described(s.oneOf(true), 'accepts every score; other changes are applied after this'),
  'refuse?': s.nullable(REFUSE),
  'grade_url?': s.oneOf('present', 'null'),
});
export type LmsChange = s.Static<typeof CHANGE>;

const SHOWN = s.object({ lms: s.mapOf(s.object({ ...LMS, points: s.nullable(s.anyNumber) })) });

export const LMS_OPERATIONS = {
  'POST lms': operation({
    summary: 'change how the LMS behaves, at one location or at all',
    takes: CHANGE,
    answers: SHOWN,
    run: ({ state }, change) => changeLms(state, change),
  }),
};

/** Changes how the LMS behaves, at one location or everywhere; `ok` resets it first. */
export function changeLms(state: EmulatorState, asked: LmsChange): s.Static<typeof SHOWN> {
  const id = asked.location;
  const locations = locationsOf(state, id);
  if (asked.column === 'present' && id !== undefined && locations[0]?.type !== 'assessment') {
    throw wrongBody(`location ${id} is no assessment: only assessments have a gradebook column`);
  }
  const hasNone = asked.column !== 'present' && locations.every(({ column }) => column === null);
  if (asked.points !== undefined && id !== undefined && hasNone) {
    throw wrongBody(`location ${id} has no gradebook column`);
  }
  const change = behaviourIn(state, asked);
  const { lms } = state;
  if (asked.ok && id !== undefined) lms.put({ ...DEFAULT_LMS, location: id });
  else if (asked.ok) lms.delete('true', []);
  if (Object.keys(change).length > 0) changeBehaviour(state, id, change);
  for (const location of locations) changeLocation(state, location, asked);
  return { lms: lmsOf(state, locations) };
}

function locationsOf(state: EmulatorState, id: string | undefined): Location[] {
  const { locations } = state.world;
  if (id === undefined) return locations.all();
  const location = locations.get(id);
  if (location === undefined) throw notFound('location', id);
  return [location];
}

/** A change for all locations goes before what those have of their own. */
function changeBehaviour(
  { lms }: EmulatorState,
  id: string = EVERYWHERE,
  change: Partial<LmsBehaviour>,
): void {
  const unset = Object.fromEntries(Object.keys(change).map((name) => [name, undefined]));
  if (id === EVERYWHERE) for (const own of lms.all()) lms.put({ ...own, ...unset });
  lms.put({ ...lms.get(id), ...change, location: id });
}

function behaviourIn(state: EmulatorState, asked: LmsChange): Partial<LmsBehaviour> {
  const { refuse, scope, slow_ms, column } = asked;
  return {
    ...(refuse !== undefined && { refuse: refuse && refusalIn(state, refuse) }),
    ...(scope !== undefined && { scope }),
    ...(slow_ms !== undefined && { slow_ms }),
    ...(column !== undefined && { column }),
  };
}

function refusalIn({ world }: EmulatorState, refuse: s.Static<typeof REFUSE>): LmsRefusal {
  const { body: said = '', status = 422, ...which } = refuse;
  for (const id of which.members ?? []) if (!world.members.has(id)) throw notFound('member', id);
  return { status, body: typeof said === 'string' ? said : JSON.stringify(said), ...which };
}

/** Changes the location itself: whether it has a grade URL and a column, and the column's points. */
function changeLocation(state: EmulatorState, location: Location, change: LmsChange): void {
  const { location: named, column, grade_url: gradeUrl, points } = change;
  const { id } = location;
  // Any other without a column was never deep-linked.
  const isLinked = named === id && column === 'present' && location.column === null;
  if (isLinked || gradeUrl !== undefined) {
    state.world.locations.put({
      ...location,
      ...(isLinked && { column: { lineitem: lineitemOf(id), points: 100 } }),
      ...(gradeUrl !== undefined && { grade_url: gradeUrl === 'present' }),
    });
  }
  if (points !== undefined) setPoints(state, id, points);
}

/** How the LMS behaves now, by location. */
function lmsOf(state: EmulatorState, locations: readonly Location[]) {
  const behaviours = locations.map(({ id }) => {
    const points = state.world.locations.get(id)?.column?.points ?? null;
    return [id, Object.assign(lmsAt(state, id), { points })] as const;
  });
  return Object.fromEntries(behaviours);
}
