import type { RowKind } from '../../contract/index.ts';
import type { EmulatorState } from './state.ts';
import type { Course } from './world.ts';

/** The names in the address of a row; '' for those that its kind does not have. */
export interface RowNames {
  readonly kind: RowKind;
  readonly tool: string;
  readonly course: string;
  readonly location: string;
  readonly member: string;
}

/** An existing row: its address with its course, and its key in the store. */
export interface EmulatedRow extends RowNames {
  readonly key: string;
}

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

export function rowKey({ kind, tool, course, location, member }: RowNames): string {
  switch (kind) {
    case 'context':
      return `context/${tool}/${course}`;
    case 'location':
      return `location/${tool}/${location}`;
    case 'member':
      return `member/${tool}/${member}`;
    case 'member_location':
      return `member_location/${tool}/${location}/${member}`;
  }
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
  const key = levelKey(level);
  if (!state.provisioned.has(key)) state.provisioned.set(key, { at: state.clock.now() });
}

/** Whether the finish call for a level was made. */
function isFinished(state: EmulatorState, level: Level): boolean {
  return state.provisioned.has(levelKey(level));
}

function levelKey(level: Level): string {
  const kind = level.location === '' ? 'context' : 'location';
  return rowKey({ kind, ...level, member: '' });
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
