import type { RowKind } from '../../contract/index.ts';
import type { EmulatorState } from './state.ts';

/** What names a row; parts that its kind does not have are ''. */
export interface RowNames {
  readonly kind: RowKind;
  readonly tool: string;
  readonly course: string;
  readonly location: string;
  readonly member: string;
}

/** A row that exists: its address with the course that it belongs to, and its key in the store. */
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

/** A row's key in the store. */
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

/** What a row's name in the store stands for; undefined where there is no such row. */
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
