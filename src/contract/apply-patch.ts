import { type Json, type JsonObject, levelsOf, MAX_LEVELS } from '../json/index.ts';
import type { PatchOperation } from './patch.ts';
import { arrayIndex, childAt, formatPointer, parsePointer, pointerRule } from '../json/pointer.ts';
import { type Violation, violation } from './violations.ts';
import { describeType, truncate } from './words.ts';

type Container = Json[] | JsonObject;

/** Copies made by this patch, which may be changed; the rest is shared with the given row. */
type Owned = Set<Container>;

/** An operation and its position in the row. */
interface Step {
  readonly operation: PatchOperation;
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
  operations: readonly PatchOperation[],
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
  operation: PatchOperation,
  index: number,
  owned: Owned,
): JsonObject | Violation {
  const tokens = parsePointer(operation.path);
  if (tokens === undefined) {
    const reason = pointerRule(operation.path) ?? '';
    return refuse(index, 'patch.path_malformed', { pointer: operation.path, reason });
  }
  if (tokens.length === 0) return replaceRoot(operation, index);
  if (tokens.length + levelsAdded(operation) > MAX_LEVELS) {
    const reason = `it leads to more than ${MAX_LEVELS} levels`;
    return refuse(index, 'patch.path_malformed', { pointer: truncate(operation.path), reason });
  }
  const root = writable(row, owned);
  return changeBelow(root, { operation, index, tokens, owned }) ?? root;
}

function levelsAdded(operation: PatchOperation): number {
  return operation.op === 'remove' ? 0 : levelsOf(operation.value);
}

function replaceRoot(operation: PatchOperation, index: number): JsonObject | Violation {
  if (operation.op === 'remove') return refuse(index, 'patch.remove_root', {});
  const { value } = operation;
  if (value instanceof Map) return value;
  return refuse(index, 'patch.root_not_object', { found: describeType(value) });
}

function refuse(
  index: number,
  code: Violation['code'],
  params: Readonly<Record<string, string | number>>,
): Violation {
  return violation(code, `/patch/${index}`, { index, ...params });
}

/** A container that this patch may change: itself if the patch has made it, else a copy. */
function writable<T extends Container>(container: T, owned: Owned): T {
  if (owned.has(container)) return container;
  const copy = (Array.isArray(container) ? [...container] : new Map(container)) as T;
  owned.add(copy);
  return copy;
}

/** Walks to the container of the target, making its ancestors writable, and changes it there. */
function changeBelow(root: JsonObject, step: Step): Violation | undefined {
  let parent: Container = root;
  for (let depth = 0; depth < step.tokens.length - 1; depth++) {
    const refusal = checkEntry(parent, depth, step);
    if (refusal !== undefined) return refusal;
    parent = enter(parent, step.tokens[depth] as string, step.owned);
  }
  const refusal = checkTarget(parent, step);
  if (refusal === undefined) change(parent, step);
  return refusal;
}

/** Whether the path continues at this depth, through an existing value or, for an `add`, a new one. */
function checkEntry(parent: Container, depth: number, step: Step): Violation | undefined {
  const token = step.tokens[depth] as string;
  const refusal = Array.isArray(parent)
    ? checkIndex(token, parent.length, parent.length - 1, step)
    : undefined;
  if (refusal !== undefined) return refusal;
  const child = childAt(parent, token);
  if (child === undefined) return step.operation.op === 'add' ? undefined : missing(depth, step);
  if (child instanceof Map || Array.isArray(child)) return undefined;
  const { op, path: pointer } = step.operation;
  const at = formatPointer(step.tokens.slice(0, depth + 1));
  const type = describeType(child);
  return refuse(step.index, 'patch.parent_not_container', { op, pointer, at, found: type });
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

/** Applies the operation to a writable container, after `checkTarget`. */
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
