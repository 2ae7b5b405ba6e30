import { isShared } from '../../contract/index.ts';
import type { Call, RequestCaller } from './call.ts';
import type { GradeRoute } from './addresses.ts';
import { refuse } from './refuse.ts';
import type { EmulatorState } from '../state/state.ts';
import { endOf } from '../state/tokens.ts';
import type { EmulatedRow, RowNames } from '../state/row-table.ts';
import { findRow } from '../state/rows.ts';
import { isStaffMember, type Tool } from '../state/world.ts';
import type { Token } from '../state/records.ts';

export type RowAction = 'read' | 'write';

/**
 * Checks the access of a call to a row or its files ("Authentication", 4: "who may read and write a
 * row's files is the same as for the row's data"), and reads its body. Refuses in this order: 401; 404;
 * 422 unprovisioned; 403 and 422 for the body as the freedom `refusals` has it.
 */
export function accessRow<Body>(
  state: EmulatorState,
  { caller }: Call,
  address: RowNames,
  action: RowAction,
  readBody: (row: EmulatedRow) => Body,
): { row: EmulatedRow; token: Token; body: Body } {
  const token = liveToken(state, caller);
  const row = findRow(state, address);
  if (row === undefined || row.tool !== token.tool) refuse('row.not_found');
  if (isShared(row.kind) && state.rows.provisioned(row.key) === null) {
    refuse('row.unprovisioned', { kind: row.kind });
  }
  const { body } = state.chosen.refusals(
    () => checkPermission(state, token, row, action),
    () => readBody(row),
  );
  return { row, token, body };
}

/** The live launch or provision token of a call to storage, files or a provision URL. */
export function liveToken(state: EmulatorState, { credential, token }: RequestCaller): Token {
  if (token !== undefined) return requireLive(state, token);
  if (credential === null) refuse('auth.missing');
  return refuse(credential === 'api_key' ? 'auth.key_not_accepted' : 'auth.unknown');
}

function requireLive(state: EmulatorState, token: Token): Token {
  const end = endOf(token, state.clock.now());
  if (end === '') return token;
  return refuse(isRunning(state.world.tools.get(token.tool)) ? 'auth.ended' : 'auth.suspended');
}

function isRunning(tool: Tool | undefined): boolean {
  return tool?.status === 'active';
}

/** "Authentication", 4: data permissions of the token's user. */
function checkPermission(
  state: EmulatorState,
  token: Token,
  row: EmulatedRow,
  action: RowAction,
): void {
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
function isForProvisioning(
  state: EmulatorState,
  token: Token,
  row: EmulatedRow,
  action: RowAction,
): boolean {
  if (!isShared(row.kind)) return false;
  if (row.course === token.course) return true;
  return action === 'read' && state.world.courses.get(token.course)?.parent === row.course;
}

/** The caller of a grade submission: the user of a launch, or the tool's server. */
export type GradeCaller =
  | { readonly kind: 'user'; readonly token: Token }
  | { readonly kind: 'server'; readonly tool: Tool };

/** The 401s of "Errors, Grade submission". */
export function gradeCaller(
  state: EmulatorState,
  { credential, token, tool }: RequestCaller,
  { shape }: GradeRoute,
): GradeCaller {
  if (credential === null) refuse('auth.missing_grade');
  // A provision request has no user to act as.
  if (token?.kind === 'launch') return { kind: 'user', token: requireLive(state, token) };
  if (tool === undefined) refuse('auth.key_unknown');
  if (!isRunning(tool)) refuse('auth.suspended');
  if (shape === 'account') refuse('auth.key_not_accepted');
  return { kind: 'server', tool };
}
