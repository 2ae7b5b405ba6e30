import { jsonEqual } from '../json/compare.ts';
import { escapeToken } from '../json/pointer.ts';
import { compactJson } from '../json/print.ts';
import { type Json, JsonNumber, type JsonObject } from '../json/value.ts';
import { keepKeys, matchElements } from './elements.ts';

type Operations = TextOperation[];

/** A value that is nested deeper is replaced whole: the comparison recurses. */
const MAX_LEVELS = 100;

/** Where a comparison is, and what it has found: one object, and not one for each container. */
interface Comparison {
  readonly operations: Operations;
  /** The names and indexes that lead to the two containers that are being compared. */
  readonly tokens: (string | number)[];
  /** The pointers of the containers on that way, as far as an operation has needed them. */
  readonly pointers: string[];
  /** The new one of two objects, and how many members of the old one it does not have. */
  now: JsonObject;
  removed: number;
}

/**
 * The operations that turn one object into the other, whatever the order of names. They never replace
 * the object itself. Linear in its size, except for arrays in which elements were added, removed or moved.
 *
 * Nearly all the time is spent in `compareMember`, `compareValues` and `compareContainers`, in code
 * that runs once in the life of a process. So these use nothing that is slow before the engine has
 * optimized it, such as iterators, destructuring and closures, and make nothing for what is equal.
 * docs/decisions/0011-differ.md has the measurements.
 */
export function compareObjects(old: JsonObject, now: JsonObject): TextOperation[] {
  const state: Comparison = { operations: [], tokens: [], pointers: [], now, removed: 0 };
  compareMembers(state, old, now);
  return state.operations;
}

function compareMembers(state: Comparison, old: JsonObject, now: JsonObject): void {
  const outer = state.now;
  const outerRemoved = state.removed;
  state.now = now;
  state.removed = 0;
  old.forEach(compareMember, state);
  if (now.size !== old.size - state.removed) addMembers(state, old, now);
  state.now = outer;
  state.removed = outerRemoved;
}

function addMembers(state: Comparison, old: JsonObject, now: JsonObject): void {
  now.forEach((value, name) => {
    if (!old.has(name)) put(state.operations, 'add', memberPointer(state, name), value);
  });
}

/** As `compareValues`, which is not called for each of the many members that are equal. */
function compareMember(this: Comparison, before: Json, name: string): void {
  const after = this.now.get(name);
  if (before === after) return;
  if (after === undefined) {
    this.removed++;
    this.operations.push({ op: 'remove', path: memberPointer(this, name) });
    return;
  }
  if (before instanceof JsonNumber) {
    if (after instanceof JsonNumber && before.text === after.text) return;
  } else if (typeof before === 'object' && before !== null) {
    if (compareContainers(this, name, before, after)) return;
  }
  put(this.operations, 'replace', memberPointer(this, name), after);
}

/** Appends the operations for the members that `token` names in the containers at hand. */
function compareValues(state: Comparison, token: string | number, old: Json, now: Json): void {
  if (old === now) return;
  if (old instanceof JsonNumber) {
    if (now instanceof JsonNumber && old.text === now.text) return;
  } else if (typeof old === 'object' && old !== null) {
    if (compareContainers(state, token, old, now)) return;
  }
  put(state.operations, 'replace', memberPointer(state, token), now);
}

/** False if the old one has to be replaced. */
function compareContainers(
  state: Comparison,
  token: string | number,
  old: JsonObject | Json[],
  now: Json,
): boolean {
  const { operations, tokens, pointers } = state;
  if (tokens.length === MAX_LEVELS) return jsonEqual(old, now);
  const start = operations.length;
  if (old instanceof Map) {
    if (!(now instanceof Map)) return false;
    tokens.push(token);
    compareMembers(state, old, now);
  } else {
    if (!Array.isArray(now)) return false;
    tokens.push(token);
    if (old.length !== now.length) compareMatched(state, old, now);
    else {
      let inStep: Map<number, Operations> | undefined;
      for (let index = 0; index < old.length; index++) {
        const count = operations.length;
        const before = old[index] as Json;
        const after = now[index] as Json;
        const isDone = before instanceof Map && compareContainers(state, index, before, after);
        if (!isDone) compareValues(state, index, before, after);
        if (operations.length > count) (inStep ??= new Map()).set(index, operations.slice(count));
      }
      // Elements that changed may have moved: those without keys that they keep are matched.
      if (inStep !== undefined && inStep.size > 1 && !keepKeys(old, now, [...inStep.keys()])) {
        operations.length = start;
        compareMatched(state, old, now, inStep);
      }
    }
  }
  if (operations.length > start + 1) shorten(state, start, now);
  tokens.pop();
  if (pointers.length > tokens.length) pointers.pop();
  return true;
}

/**
 * Compares arrays by matching their elements, which may have come, gone or moved. `inStep` has what
 * was found by comparing them index by index: in nested arrays, to compare them again would double
 * the time at each level.
 */
function compareMatched(
  state: Comparison,
  old: readonly Json[],
  now: readonly Json[],
  inStep?: ReadonlyMap<number, Operations>,
): void {
  const { operations } = state;
  const { oldStart, oldEnd, nowStart, nowEnd, matches } = matchElements(old, now);
  // The index of the next element, in `now` and in the patched array.
  let index = nowStart;
  const addUntil = (end: number): void => {
    for (; index < end; index++) {
      put(operations, 'add', memberPointer(state, index), now[index] as Json);
    }
  };
  for (let at = oldStart; at < oldEnd; at++) {
    const match = matches[at - oldStart] as number;
    if (match === -1) {
      operations.push({ op: 'remove', path: memberPointer(state, index) });
      continue;
    }
    addUntil(match);
    if (inStep !== undefined && match === at) {
      for (const operation of inStep.get(at) ?? []) operations.push(operation);
    } else compareValues(state, index, old[at] as Json, now[match] as Json);
    index++;
  }
  addUntil(nowEnd);
}

/** The length of an operation's text without its path and value. */
const OPERATION_LENGTH = '{"op":"replace","path":"","value":},'.length;

/** In a container with more members two operations are kept: to look at it takes too long. */
const FEW_MEMBERS = 3;

/**
 * Replaces two or more operations in the container at hand, from the index `start` on, with one for
 * the whole container, if that is shorter.
 */
function shorten(state: Comparison, start: number, now: JsonObject | Json[]): void {
  const { operations } = state;
  const members = now instanceof Map ? now.size : now.length;
  if (members > FEW_MEMBERS && operations.length === start + 2) return;
  const pointer = pointerOf(state);
  let length = -OPERATION_LENGTH - pointer.length;
  for (let index = start; index < operations.length; index++) {
    const operation = operations[index] as TextOperation;
    length += OPERATION_LENGTH + operation.path.length;
    if (operation.op !== 'remove') length += operation.value.length;
  }
  const value = compactJson(now);
  if (value.length >= length) return;
  operations.length = start;
  operations.push({ op: 'replace', path: pointer, value });
}

function put(operations: Operations, op: 'add' | 'replace', path: string, value: Json): void {
  operations.push({ op, path, value: compactJson(value) });
}

function memberPointer(state: Comparison, token: string | number): string {
  return child(pointerOf(state), token);
}

/** The pointer of the containers at hand. */
function pointerOf({ tokens, pointers }: Comparison): string {
  let pointer = pointers.length === 0 ? '' : (pointers[pointers.length - 1] as string);
  for (let level = pointers.length; level < tokens.length; level++) {
    pointer = child(pointer, tokens[level] as string | number);
    pointers.push(pointer);
  }
  return pointer;
}

function child(pointer: string, token: string | number): string {
  return `${pointer}/${typeof token === 'string' ? escapeToken(token) : token}`;
}

/** An operation of a JSON Patch (RFC 6902) whose value is compact JSON text, so that it is exact. */
export type TextOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: string }
  | { readonly op: 'remove'; readonly path: string };

/** The operations as the JSON text of an array (RFC 6902). */
export function operationsText(operations: readonly TextOperation[]): string {
  return `[${operations.map(operationText).join(',')}]`;
}

function operationText(operation: TextOperation): string {
  const head = `{"op":"${operation.op}","path":${JSON.stringify(operation.path)}`;
  return operation.op === 'remove' ? `${head}}` : `${head},"value":${operation.value}}`;
}
