import {
  applyPatch,
  checkPatchBody,
  checkRowBody,
  checkRowSize,
  PATCH_LEVELS,
  readJson,
} from '../../contract/index.ts';
import { compactJson, type Json, type JsonObject } from '../../json/index.ts';
import { accessRow, liveToken } from './access.ts';
import type { EmulatedRow, RowNames } from '../state/row-table.ts';
import { finishLevel, type Level } from '../state/rows.ts';
import { bodyOf, NO_CONTENT } from '../http/messages.ts';
import { writtenRow } from './reply.ts';
import { refuse, refuseAny, refuseWith } from './refuse.ts';
import { formatPointer } from '../../json/pointer.ts';
import type { EmulatorState } from '../state/state.ts';
import type { Token } from '../state/records.ts';
import type { Call, Answered, RowWriteFact } from './call.ts';

/** "Endpoints, Storage rows". */
export async function answerRow(
  state: EmulatorState,
  call: Call,
  address: RowNames,
): Promise<Answered> {
  const { request } = call;
  const isRead = request.method === 'GET';
  const body = isRead ? undefined : await bodyOf(request);
  // Nothing is awaited until the write is done: that is the row's lock.
  const { row, token } = accessRow(state, call, address, isRead ? 'read' : 'write');
  const answered =
    body === undefined ? readRow(state, row) : storeRow(state, call, { row, token }, body);
  state.tokens.touch(token);
  return answered;
}

/** "The JSON object exactly as last written, no envelope; `{}` if never written." */
function readRow(state: EmulatorState, row: EmulatedRow): Answered {
  const stored = state.rows.body(row.key);
  const facts = { row, isUnwritten: stored === undefined };
  return { reply: writtenRow(state, stored ?? '{}'), facts };
}

function storeRow(
  state: EmulatorState,
  { request }: Call,
  { row, token }: { row: EmulatedRow; token: Token },
  body: Uint8Array,
): Answered {
  const by = request.method === 'PUT' ? 'PUT' : 'PATCH';
  const before = state.rows.body(row.key);
  const written = by === 'PUT' ? replaced(row, before, body) : patched(row, before, body);
  state.rows.write(row, written.after, by, token.launch_id);
  return { reply: NO_CONTENT, facts: { row, written } };
}

/** "The raw JSON object, no wrapper; replaces the row wholesale." */
function replaced(
  row: EmulatedRow,
  before: Uint8Array | undefined,
  body: Uint8Array,
): RowWriteFact {
  const { violations, size } = checkRowBody(row.kind, body);
  refuseAny(violations);
  return { before, after: body, size };
}

/** PATCH rules 1 to 3: the patched row as compact JSON. */
function patched(row: EmulatedRow, stored: Uint8Array | undefined, body: Uint8Array): RowWriteFact {
  const { operations, violations } = checkPatchBody(parsed(body, PATCH_LEVELS));
  refuseAny(violations);
  const before = stored === undefined ? new Map<string, Json>() : (parsed(stored) as JsonObject);
  const outcome = applyPatch(before, operations);
  if ('violation' in outcome) refuseWith(outcome.violation);
  const after = Buffer.from(compactJson(outcome.row));
  refuseAny(checkRowSize(row.kind, after.length));
  const pointers = operations.flatMap((operation) =>
    operation.op === 'remove' ? [] : pointersWritten(operation.path, operation.value),
  );
  return { before: stored, after, size: after.length, pointers };
}

/** Deeper levels, and further names, are not recorded. */
const MAX_LEVELS = 20;
const MAX_POINTERS = 500;

/** Pointers to what a PATCH writes at a path: to the names in an object, at any depth. */
export function pointersWritten(path: string, value: Json): string[] {
  const pointers: string[] = [];
  const visit = (token: string, at: Json): void => {
    if (pointers.length >= MAX_POINTERS) return;
    const isLeaf = !(at instanceof Map) || at.size === 0 || token.split('/').length > MAX_LEVELS;
    if (isLeaf) pointers.push(token);
    else for (const [name, each] of at) visit(token + formatPointer([name]), each);
  };
  visit(path, value);
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
 * request's own token whoever triggered setup", as with any live token of the tool in the course.
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
