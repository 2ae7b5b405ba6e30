import { isShared } from '../../contract/index.ts';
import type { GradeAddress, RowAddress } from './addresses.ts';
import { bearerOf, refuse, type PlainRequest } from '../http/messages.ts';
import type { EmulatorState } from '../state.ts';
import { endOf } from './tokens.ts';
import { isStaffMember, type Tool } from '../world/world.ts';
import type { Token } from '../store/records.ts';

/** A row that exists: its address with the course that it belongs to, and its key in the store. */
export interface Row extends RowAddress {
  readonly key: string;
}

export type Action = 'read' | 'write';

/**
 * Checks the access of a request to a row or its files ("Authentication", 4: "who may read and write
 * a row's files is the same as for the row's data"). Refuses in this order: 401; 404; 422
 * unprovisioned; 403.
 */
export function openRow(
  state: EmulatorState,
  request: PlainRequest,
  address: RowAddress,
  action: Action,
): { row: Row; token: Token } {
  const token = liveToken(state, request);
  const row = findRow(state, address);
  if (row === undefined || row.tool !== token.tool) refuse('row.not_found');
  if (request.facts !== undefined) request.facts.row = row;
  if (isShared(row.kind) && !state.provisioned.has(row.key)) {
    refuse('row.unprovisioned', { kind: row.kind });
  }
  checkPermission(state, token, row, action);
  return { row, token };
}

/** The live launch or provision token of a request to storage, files or a provision URL. */
export function liveToken(state: EmulatorState, request: PlainRequest): Token {
  const bearer = bearerOf(request);
  if (bearer === undefined) refuse('auth.missing');
  const token = state.tokens.get(bearer);
  if (token !== undefined) return requireLive(state, token);
  return refuse(state.world.toolOfKey(bearer) ? 'auth.key_not_accepted' : 'auth.unknown');
}

function requireLive(state: EmulatorState, token: Token): Token {
  const end = endOf(token, state.clock.now());
  if (end === '') return token;
  return refuse(isRunning(state.world.tools.get(token.tool)) ? 'auth.ended' : 'auth.suspended');
}

function isRunning(tool: Tool | undefined): boolean {
  return tool?.status === 'active';
}

/** Finds the row of an address; undefined if its parts do not exist or do not match. */
function findRow(state: EmulatorState, address: RowAddress): Row | undefined {
  const { world } = state;
  const { kind } = address;
  const location = address.location === '' ? undefined : world.locations.get(address.location);
  const member = address.member === '' ? undefined : world.members.get(address.member);
  if (address.location !== '' && location === undefined) return undefined;
  if (address.member !== '' && member === undefined) return undefined;
  const course = address.course || location?.course || member?.course || '';
  const tool = address.tool || location?.tool || '';
  if (location !== undefined && location.course !== course) return undefined;
  if (member !== undefined && member.course !== course) return undefined;
  if (location === undefined && !world.isPlaced(tool, course)) return undefined;
  // Written out: a spread whose fields are replaced is slow in V8, and this is on the way of each call.
  const row = { kind, tool, course, location: address.location, member: address.member, key: '' };
  row.key = rowKey(row);
  return row;
}

/** A row's key in the store. */
export function rowKey({ kind, tool, course, location, member }: RowAddress): string {
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
export function rowOfKey(state: EmulatorState, key: string): Row | undefined {
  const [kind = '', tool = '', ...ids] = key.split('/');
  const none = { tool, course: '', location: '', member: '' };
  const [first = '', second = ''] = ids;
  const addresses: Readonly<Record<string, RowAddress>> = {
    context: { ...none, kind: 'context', course: first },
    location: { ...none, kind: 'location', location: first },
    member: { ...none, kind: 'member', member: first },
    member_location: { ...none, kind: 'member_location', location: first, member: second },
  };
  const address = Object.hasOwn(addresses, kind) ? addresses[kind] : undefined;
  const row = address && findRow(state, address);
  return row?.key === key ? row : undefined;
}

/** "Authentication", 4: data permissions of the token's user. */
function checkPermission(state: EmulatorState, token: Token, row: Row, action: Action): void {
  const { kind } = row;
  if (token.kind === 'provision') {
    if (!isForProvisioning(state, token, row, action)) refuse('row.forbidden', { action, kind });
    return;
  }
  const member = state.world.memberOf(row.course, token.user);
  if (member === undefined) refuse('row.not_member');
  if (isStaffMember(member)) return;
  const isAllowed = isShared(kind) ? action === 'read' : row.member === member.id;
  if (!isAllowed) refuse('row.forbidden', { action, kind });
}

/** A provision request reads the previous course's shared rows and uses those of the new one. */
function isForProvisioning(state: EmulatorState, token: Token, row: Row, action: Action): boolean {
  if (!isShared(row.kind)) return false;
  if (row.course === token.course) return true;
  return action === 'read' && state.world.courses.get(token.course)?.parent === row.course;
}

/** Who submits a grade: the user of a launch, or the tool's server. */
export type GradeCaller =
  { readonly is: 'user'; readonly token: Token } | { readonly is: 'server'; readonly tool: Tool };

/** The 401s of "Errors, Grade submission". */
export function gradeCaller(
  state: EmulatorState,
  request: PlainRequest,
  { shape }: GradeAddress,
): GradeCaller {
  const bearer = bearerOf(request);
  if (bearer === undefined) refuse('auth.missing_grade');
  const token = state.tokens.get(bearer);
  if (token !== undefined) {
    // A provision request has no user to act as.
    if (token.kind === 'provision') refuse('auth.key_unknown');
    return { is: 'user', token: requireLive(state, token) };
  }
  const tool = state.world.toolOfKey(bearer);
  if (tool === undefined) refuse('auth.key_unknown');
  if (!isRunning(tool)) refuse('auth.suspended');
  if (shape === 'account') refuse('auth.key_not_accepted');
  return { is: 'server', tool };
}
