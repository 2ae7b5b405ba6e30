import { type EmulatedRow, rowKey, type RowNames } from './row-table.ts';
import type { EmulatorState } from './state.ts';
import type { Course, Location } from './world.ts';

/** Finds the row of an address; undefined if its parts do not exist or do not match. */
export function findRow(state: EmulatorState, address: RowNames): EmulatedRow | undefined {
  const { world } = state;
  const location = address.location === '' ? undefined : world.locations.get(address.location);
  const member = address.member === '' ? undefined : world.members.get(address.member);
  if (address.location !== '' && location === undefined) return undefined;
  if (address.member !== '' && member === undefined) return undefined;
  const course = address.course || location?.course || member?.course || '';
  const tool = address.tool || location?.tool || '';
  if (location !== undefined && location.course !== course) return undefined;
  if (member !== undefined && member.course !== course) return undefined;
  if (location === undefined && !world.isPlaced(tool, course)) return undefined;
  const { kind } = address;
  const parts = { kind, tool, course, location: address.location, member: address.member };
  return { ...parts, key: rowKey(parts) };
}

/** The names in a row's key; undefined if there is no such row. */
export function rowOfKey(state: EmulatorState, key: string): EmulatedRow | undefined {
  const [kind = '', tool = '', ...ids] = key.split('/');
  const none = { tool, course: '', location: '', member: '' };
  const [first = '', second = ''] = ids;
  const addresses: Readonly<Record<string, RowNames>> = {
    context: { ...none, kind: 'context', course: first },
    location: { ...none, kind: 'location', location: first },
    member: { ...none, kind: 'member', member: first },
    member_location: { ...none, kind: 'member_location', location: first, member: second },
  };
  const address = Object.hasOwn(addresses, kind) ? addresses[kind] : undefined;
  const row = address && findRow(state, address);
  return row?.key === key ? row : undefined;
}

/** A level that a tool provisions: the course itself, or one location ('' for none). */
export interface Level {
  readonly tool: string;
  readonly course: string;
  readonly location: string;
}

/** Provisions the rows of a level; only the first time counts. */
export function finishLevel(state: EmulatorState, level: Level): void {
  state.rows.provision(rowOfLevel(level).key, state.clock.now());
}

/** Adds a placement, with its shared rows. */
export function addLocation(state: EmulatorState, location: Location): void {
  const { id, course, tool } = location;
  state.world.locations.put(location);
  for (const level of ['', id]) state.rows.open(rowOfLevel({ tool, course, location: level }));
}

/** Whether the finish call for a level was made. */
function isFinished(state: EmulatorState, level: Level): boolean {
  return state.rows.provisioned(rowOfLevel(level).key) !== null;
}

/** The shared row of a level. */
function rowOfLevel({ tool, course, location }: Level): EmulatedRow {
  const kind = location === '' ? 'context' : 'location';
  const names = { kind, tool, course, location, member: '' } as const;
  return { ...names, key: rowKey(names) };
}

/** Whether a location and its course are provisioned. */
export function isReady(state: EmulatorState, level: Level): boolean {
  return isFinished(state, level) && isFinished(state, { ...level, location: '' });
}

/** Whether a location of a course is not provisioned yet. */
export function isWaiting(state: EmulatorState, { id: course }: Course): boolean {
  return state.world
    .locationsOf(course)
    .some(({ id: location, tool }) => !isReady(state, { tool, course, location }));
}
