import type { Json, JsonObject } from './json/index.ts';
import { arrayIndex, childAt, formatPointer, parsePointer, pointerRule } from './pointer.ts';
import { type Violation, violation } from './violations.ts';
import { typeInWords } from './words.ts';

/**
 * The service's patches ("Endpoints, Storage rows": PATCH rules). They are RFC 6902 with three
 * operations, an `add` that creates missing parents, and a root that stays an object.
 */
export type Operation =
  { op: 'add' | 'replace'; path: string; value: Json } | { op: 'remove'; path: string };

export interface CheckedPatch {
  /** Complete only when there are no violations. */
  operations: Operation[];
  violations: Violation[];
}

const OPERATIONS_IN_USE = new Set(['add', 'replace', 'remove']);
/** In RFC 6902 but not among the "operations named in use" (PATCH rule 1). */
const OTHER_OPERATIONS = new Set(['move', 'copy', 'test']);

/**
 * Checks the whole body of a PATCH: `{ "patch": [ … ] }` ("Endpoints, Storage rows"). Other
 * members beside `patch` are ignored. All violations are listed, with paths into the body.
 */
export function checkPatchBody(body: Json): CheckedPatch {
  if (Array.isArray(body)) return refusedWhole(violation('patch.no_wrapper', ''));
  if (!(body instanceof Map)) {
    const form = '{ "patch": [ … ] }';
    return refusedWhole(violation('body.not_object', '', { found: typeInWords(body), form }));
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
    return refusedWhole(violation('patch.not_array', at, { found: typeInWords(list) }));
  }
  const operations: Operation[] = [];
  const violations: Violation[] = [];
  for (const [index, candidate] of list.entries()) {
    const wrong = checkOperation(candidate, index, `${at}/${index}`);
    if (wrong.length === 0) operations.push(toOperation(candidate as JsonObject));
    for (const each of wrong) violations.push(each);
  }
  return { operations, violations };
}

function checkOperation(candidate: Json, index: number, at: string): Violation[] {
  if (!(candidate instanceof Map)) {
    const found = typeInWords(candidate);
    return [violation('patch.operation_not_object', at, { index, found })];
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
  return [violation(code, `${at}/op`, { index, op })];
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
    return [violation('patch.path_malformed', `${at}/path`, { index, pointer: path, reason })];
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
  return [violation('patch.root_not_object', `${at}/value`, { index, found: typeInWords(value) })];
}

/** The operation's name for a message that is about something else than the name. */
function shownOp(operation: JsonObject): string {
  const op = operation.get('op');
  return typeof op === 'string' ? op : '?';
}

/** Takes what counts from an operation without violations; its other members are ignored. */
function toOperation(operation: JsonObject): Operation {
  const op = operation.get('op') as Operation['op'];
  const path = operation.get('path') as string;
  if (op === 'remove') return { op, path };
  return { op, path, value: operation.get('value') as Json };
}

// ---------------------------------------------------------------- applying

type Container = Json[] | JsonObject;

/** Copies that this patch has made, and so may change; all else is shared with the given row. */
type Owned = Set<Container>;

/** An operation on its way through the row. */
interface Step {
  readonly operation: Operation;
  readonly index: number;
  readonly tokens: readonly string[];
  readonly owned: Owned;
}

/**
 * Applies a patch whole or not at all (PATCH rule 3): the given row is never changed, and the first
 * operation that fails is the violation. `add` creates missing parent objects (PATCH rule 2), never
 * arrays; a scalar or null on the way is refused. `-` is a place only for the last token of an
 * `add`: elsewhere it names no element and is refused as an index.
 */
export function applyPatch(
  row: JsonObject,
  operations: readonly Operation[],
): { row: JsonObject } | { violation: Violation } {
  const owned: Owned = new Set();
  let patched = row;
  for (const [index, operation] of operations.entries()) {
    const outcome = applyOperation(patched, operation, index, owned);
    if (!(outcome instanceof Map)) return { violation: outcome };
    patched = outcome;
  }
  return { row: patched };
}

function applyOperation(
  row: JsonObject,
  operation: Operation,
  index: number,
  owned: Owned,
): JsonObject | Violation {
  const tokens = parsePointer(operation.path);
  if (tokens === undefined) {
    const reason = pointerRule(operation.path) ?? '';
    return refuse(index, 'patch.path_malformed', { pointer: operation.path, reason });
  }
  if (tokens.length === 0) return replaceRoot(operation, index);
  const root = writable(row, owned);
  return changeBelow(root, { operation, index, tokens, owned }) ?? root;
}

function replaceRoot(operation: Operation, index: number): JsonObject | Violation {
  if (operation.op === 'remove') return refuse(index, 'patch.remove_root', {});
  const { value } = operation;
  if (value instanceof Map) return value;
  return refuse(index, 'patch.root_not_object', { found: typeInWords(value) });
}

function refuse(
  index: number,
  code: Violation['code'],
  params: Readonly<Record<string, string | number>>,
): Violation {
  return violation(code, `/patch/${index}`, { index, ...params });
}

/** A container this patch may change: itself when the patch has made it, else a copy. */
function writable<T extends Container>(container: T, owned: Owned): T {
  if (owned.has(container)) return container;
  const copy = (Array.isArray(container) ? [...container] : new Map(container)) as T;
  owned.add(copy);
  return copy;
}

/** Walks to the container of the target, making the way writable, and changes it there. */
function changeBelow(root: JsonObject, step: Step): Violation | undefined {
  let parent: Container = root;
  for (let depth = 0; depth < step.tokens.length - 1; depth++) {
    const wrong = checkEntry(parent, depth, step);
    if (wrong !== undefined) return wrong;
    parent = enter(parent, step.tokens[depth] as string, step.owned);
  }
  const wrong = checkTarget(parent, step);
  if (wrong === undefined) change(parent, step);
  return wrong;
}

/** Whether the way goes on at this depth: through what exists or, for an `add`, what it creates. */
function checkEntry(parent: Container, depth: number, step: Step): Violation | undefined {
  const token = step.tokens[depth] as string;
  const wrong = Array.isArray(parent)
    ? checkIndex(token, parent.length, parent.length - 1, step)
    : undefined;
  if (wrong !== undefined) return wrong;
  const child = childAt(parent, token);
  if (child === undefined) return step.operation.op === 'add' ? undefined : missing(depth, step);
  if (child instanceof Map || Array.isArray(child)) return undefined;
  const { op, path: pointer } = step.operation;
  const at = formatPointer(step.tokens.slice(0, depth + 1));
  const found = typeInWords(child);
  return refuse(step.index, 'patch.parent_not_container', { op, pointer, at, found });
}

/** Steps into the child, which `checkEntry` has found to be a container or absent. */
function enter(parent: Container, token: string, owned: Owned): Container {
  const child = childAt(parent, token) as Container | undefined;
  const own = writable(child ?? new Map<string, Json>(), owned);
  if (Array.isArray(parent)) parent[Number(token)] = own;
  else parent.set(token, own);
  return own;
}

function checkTarget(parent: Container, step: Step): Violation | undefined {
  const depth = step.tokens.length - 1;
  const token = step.tokens[depth] as string;
  const isAdd = step.operation.op === 'add';
  if (Array.isArray(parent)) {
    if (isAdd && token === '-') return undefined;
    return checkIndex(token, parent.length, isAdd ? parent.length : parent.length - 1, step);
  }
  return isAdd || parent.has(token) ? undefined : missing(depth, step);
}

function checkIndex(
  token: string,
  length: number,
  highest: number,
  { operation: { path: pointer }, index }: Step,
): Violation | undefined {
  const element = arrayIndex(token);
  if (element === undefined) return refuse(index, 'patch.index_invalid', { pointer, token });
  if (element <= highest) return undefined;
  return refuse(index, 'patch.index_out_of_bounds', { pointer, length });
}

function missing(depth: number, { operation: { op, path }, index, tokens }: Step): Violation {
  const at = formatPointer(tokens.slice(0, depth));
  return refuse(index, 'patch.target_missing', { op, pointer: path, at });
}

/** Carries the operation out on a container that is writable and where `checkTarget` agreed. */
function change(parent: Container, { operation, tokens }: Step): void {
  const token = tokens.at(-1) as string;
  if (!Array.isArray(parent)) {
    if (operation.op === 'remove') parent.delete(token);
    else parent.set(token, operation.value);
    return;
  }
  const element = token === '-' ? parent.length : Number(token);
  if (operation.op === 'remove') parent.splice(element, 1);
  else parent.splice(element, operation.op === 'add' ? 0 : 1, operation.value);
}
