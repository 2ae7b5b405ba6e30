import {
  applyPatch,
  checkPatchBody,
  checkRowBody,
  checkRowSize,
  PATCH_LEVELS,
  type PatchOperation,
  readJson,
  type RowKind,
} from '../../contract/index.ts';
import { compactSize, type Json, type JsonObject } from '../../json/index.ts';
import { accessRow, liveToken } from './access.ts';
import type { EmulatedRow, RowNames } from '../state/row-table.ts';
import { finishLevel, type Level } from '../state/rows.ts';
import { bodyOf, NO_CONTENT, type PlainRequest } from '../http/messages.ts';
import { writtenRow } from './reply.ts';
import { refuse, refuseAny, refuseForm, refuseWith } from './refuse.ts';
import { formatPointer } from '../../json/pointer.ts';
import type { EmulatorState } from '../state/state.ts';
import type { Token } from '../state/records.ts';
import { isStaffMember } from '../state/world.ts';
import type { Call, Answered, RowWriteFact } from './call.ts';

/** "Endpoints, Storage rows". */
export async function answerRow(
  state: EmulatorState,
  call: Call,
  address: RowNames,
): Promise<Answered> {
  const { request } = call;
  const isRead = request.method === 'GET';
  const bytes = isRead ? undefined : await bodyOf(request);
  // Nothing is awaited until the write is done: that is the row's lock.
  const {
    row,
    token,
    body: change,
  } = accessRow(
    state,
    call,
    address,
    isRead ? 'read' : 'write',
    ({ kind }) => bytes && readChange(state, request, kind, bytes),
  );
  const answered =
    change === undefined ? answerStored(state, row) : storeRow(state, call, { row, token }, change);
  state.tokens.touch(token);
  return answered;
}

/** "The JSON object exactly as last written, no envelope; `{}` if never written." */
function answerStored(state: EmulatorState, row: EmulatedRow): Answered {
  const stored = state.rows.body(row.key);
  const facts = { row, isUnwritten: stored === undefined };
  return { reply: writtenRow(state, stored ?? '{}'), facts };
}

/** What a body makes of a row. */
type Change = (before: Uint8Array | undefined) => RowWriteFact;

function storeRow(
  state: EmulatorState,
  { request }: Call,
  { row, token }: { row: EmulatedRow; token: Token },
  change: Change,
): Answered {
  const by = request.method === 'PUT' ? 'PUT' : 'PATCH';
  const before = state.rows.body(row.key);
  const written = change(before);
  state.rows.write(row, written.after, by, token.launch_id);
  return { reply: NO_CONTENT, facts: { row, written } };
}

/** "The raw JSON object, no wrapper; replaces the row wholesale", or a patch. */
function readChange(
  state: EmulatorState,
  request: PlainRequest,
  kind: RowKind,
  body: Uint8Array,
): Change {
  refuseForm(state, request, body);
  if (request.method === 'PUT') {
    const { violations, size } = checkRowBody(kind, body);
    refuseAny(state, violations);
    return (before) => ({ before, after: body, size });
  }
  const { operations, violations } = checkPatchBody(parsed(body, PATCH_LEVELS));
  refuseAny(state, violations);
  return (before) => patched(state, kind, before, operations);
}

/** PATCH rules 1 to 3. */
function patched(
  state: EmulatorState,
  kind: RowKind,
  stored: Uint8Array | undefined,
  operations: readonly PatchOperation[],
): RowWriteFact {
  const before = stored === undefined ? new Map<string, Json>() : (parsed(stored) as JsonObject);
  const outcome = applyPatch(before, operations);
  if ('violation' in outcome) refuseWith(outcome.violation);
  const after = state.chosen.patched(outcome.row);
  const size = compactSize(after);
  refuseAny(state, checkRowSize(kind, size));
  const pointers = pointersWritten(operations);
  return { before: stored, after: Buffer.from(after), size, pointers };
}

/** Deeper levels, and further names, are not recorded, and not compared. */
export const RECORDED_LEVELS = 20;
export const RECORDED_POINTERS = 500;

/** Pointers to what a PATCH writes: to the names in its objects, at any depth. */
export function pointersWritten(operations: readonly PatchOperation[]): string[] {
  const pointers: string[] = [];
  const visit = (pointer: string, value: Json): void => {
    if (pointers.length >= RECORDED_POINTERS) return;
    const isLeaf =
      !(value instanceof Map) || value.size === 0 || pointer.split('/').length > RECORDED_LEVELS;
    if (isLeaf) pointers.push(pointer);
    else for (const [name, each] of value) visit(pointer + formatPointer([name]), each);
  };
  for (const each of operations) if (each.op !== 'remove') visit(each.path, each.value);
  return pointers;
}

function parsed(bytes: Uint8Array, levels?: number): Json {
  const read = readJson(bytes, levels);
  if ('violation' in read) refuseWith(read.violation);
  return read.value;
}

/**
 * The finish call ("States: storage row provisioning"): the tool PUTs the URL of the `provision`
 * claim when the level is ready. Its body is ignored, it may be repeated, and "it works with the
 * request's own token whoever triggered setup", and with others as the freedom `finishers` has it.
 */
export async function answerProvision(
  state: EmulatorState,
  { caller }: Call,
  address: Level,
): Promise<Answered> {
  const token = liveToken(state, caller);
  const level = findLevel(state, address);
  if (level === undefined || level.tool !== token.tool) refuse('row.not_found');
  if (level.course !== token.course) refuse('row.not_member');
  const member = state.world.memberOf(token.course, token.user);
  const isStaff = member !== undefined && isStaffMember(member);
  if (!state.chosen.finishers({ isRequest: token.kind === 'provision', isStaff }))
    refuse('row.forbidden', { action: 'provision', kind: level.location ? 'location' : 'context' });
  finishLevel(state, level);
  state.tokens.touch(token);
  return { reply: { ...NO_CONTENT, status: state.chosen.finish }, facts: {} };
}

function findLevel(state: EmulatorState, { tool, course, location }: Level): Level | undefined {
  const { world } = state;
  if (location === '') return world.isPlaced(tool, course) ? { tool, course, location } : undefined;
  const placement = world.locations.get(location);
  return placement && { tool: placement.tool, course: placement.course, location };
}
