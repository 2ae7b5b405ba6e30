import { type Json, type JsonObject, MAX_LEVELS } from '../json/index.ts';
import { pointerRule } from '../json/pointer.ts';
import { type Violation, violation } from './violations.ts';
import { describeType, truncate } from './words.ts';

/**
 * The service's patches ("Endpoints, Storage rows": PATCH rules). They are RFC 6902 with three
 * operations, an `add` that creates missing parents, and a root that stays an object.
 */
export type PatchOperation =
  { op: 'add' | 'replace'; path: string; value: Json } | { op: 'remove'; path: string };

export interface CheckedPatch {
  /** Complete only without violations. */
  operations: PatchOperation[];
  violations: Violation[];
}

const OPERATIONS_IN_USE = new Set(['add', 'replace', 'remove']);
/** In RFC 6902 but not among the "operations named in use" (PATCH rule 1). */
const OTHER_OPERATIONS = new Set(['move', 'copy', 'test']);

/** Levels of a patch's body: it has three around a value, which may be a row of `MAX_LEVELS`. */
export const PATCH_LEVELS = MAX_LEVELS + 3;

/**
 * Checks the whole body of a PATCH: `{ "patch": [ … ] }` ("Endpoints, Storage rows"). Other
 * members beside `patch` are ignored. All violations are listed, with paths into the body.
 */
export function checkPatchBody(body: Json): CheckedPatch {
  if (Array.isArray(body)) return refusedWhole(violation('patch.no_wrapper', ''));
  if (!(body instanceof Map)) {
    const form = '{ "patch": [ … ] }';
    return refusedWhole(violation('body.not_object', '', { found: describeType(body), form }));
  }
  const list = body.get('patch');
  if (list === undefined) return refusedWhole(violation('patch.no_wrapper', ''));
  return checkOperations(list);
}

function refusedWhole(only: Violation): CheckedPatch {
  return { operations: [], violations: [only] };
}

/**
 * Checks a list of operations without its wrapper (PATCH rules 1 and 2, RFC 6902); `at` is the
 * pointer under which the violations report it.
 */
export function checkOperations(list: Json, at = '/patch'): CheckedPatch {
  if (!Array.isArray(list)) {
    return refusedWhole(violation('patch.not_array', at, { found: describeType(list) }));
  }
  const operations: PatchOperation[] = [];
  const violations: Violation[] = list.length === 0 ? [violation('patch.empty', at)] : [];
  for (const [index, candidate] of list.entries()) {
    const wrong = checkOperation(candidate, index, `${at}/${index}`);
    if (wrong.length === 0) operations.push(toOperation(candidate as JsonObject));
    for (const each of wrong) violations.push(each);
  }
  return { operations, violations };
}

function checkOperation(candidate: Json, index: number, at: string): Violation[] {
  if (!(candidate instanceof Map)) {
    const type = describeType(candidate);
    return [violation('patch.operation_not_object', at, { index, found: type })];
  }
  return [
    ...checkOp(candidate, index, at),
    ...checkPath(candidate, index, at),
    ...checkValue(candidate, index, at),
  ];
}

function checkOp(operation: JsonObject, index: number, at: string): Violation[] {
  const op = operation.get('op');
  if (op === undefined) return [violation('patch.op_missing', at, { index })];
  if (typeof op !== 'string') return [violation('patch.op_not_string', `${at}/op`, { index })];
  if (OPERATIONS_IN_USE.has(op)) return [];
  const code = OTHER_OPERATIONS.has(op) ? 'patch.op_unsupported' : 'patch.op_unknown';
  return [violation(code, `${at}/op`, { index, op: truncate(op) })];
}

function checkPath(operation: JsonObject, index: number, at: string): Violation[] {
  const path = operation.get('path');
  const op = shownOp(operation);
  if (path === undefined) return [violation('patch.path_missing', at, { index, op })];
  if (typeof path !== 'string') {
    return [violation('patch.path_not_string', `${at}/path`, { index, op })];
  }
  const reason = pointerRule(path);
  if (reason !== undefined) {
    return [
      violation('patch.path_malformed', `${at}/path`, { index, pointer: truncate(path), reason }),
    ];
  }
  if (path === '' && op === 'remove') {
    return [violation('patch.remove_root', `${at}/path`, { index })];
  }
  return [];
}

function checkValue(operation: JsonObject, index: number, at: string): Violation[] {
  const op = shownOp(operation);
  if (op !== 'add' && op !== 'replace') return [];
  const path = operation.get('path');
  const value = operation.get('value');
  if (value === undefined) {
    const pointer = typeof path === 'string' ? path : '';
    return [violation('patch.value_missing', at, { index, op, pointer })];
  }
  if (path !== '' || value instanceof Map) return [];
  return [violation('patch.root_not_object', `${at}/value`, { index, found: describeType(value) })];
}

/** The operation's name, for a message about something else. */
function shownOp(operation: JsonObject): string {
  const op = operation.get('op');
  return typeof op === 'string' ? op : '?';
}

/** The relevant fields of a valid operation; others are ignored. */
function toOperation(operation: JsonObject): PatchOperation {
  const op = operation.get('op') as PatchOperation['op'];
  const path = operation.get('path') as string;
  if (op === 'remove') return { op, path };
  return { op, path, value: operation.get('value') as Json };
}
