import { jsonEqual } from '../json/compare.ts';
import { escapeToken } from '../json/pointer.ts';
import { compactJson } from '../json/print.ts';
import { type Json, JsonNumber, type JsonObject } from '../json/value.ts';
import { keepKeys, matchElements } from './elements.ts';
import { isShorter } from './length.ts';
import type { TextOperation } from './operations.ts';

type Operations = TextOperation[];

/** What is nested deeper is replaced whole: the comparison recurses. */
const MAX_LEVELS = 100;

/** Where two containers are. The pointer is made when the first operation in them needs it. */
interface Path {
  readonly parent: Path | undefined;
  /** Their name or index in the parent. */
  readonly token: string | number;
  readonly level: number;
  pointer: string | undefined;
}

/**
 * The operations that make one object of the other, whatever the order of names. They never replace
 * the object itself. Linear in its size, but for arrays in which elements came, went or moved.
 *
 * Nearly all the time is spent in `compareMembers` and `compareValues`, in code that runs once in the
 * life of a process. So these use nothing that is slow before the engine has optimized it, such as
 * iterators and destructuring, and few functions, since each is optimized by itself.
 */
export function compareObjects(old: JsonObject, now: JsonObject): TextOperation[] {
  const operations: Operations = [];
  compareMembers(operations, { parent: undefined, token: '', level: 0, pointer: '' }, old, now);
  return operations;
}

function compareMembers(
  operations: Operations,
  path: Path,
  old: JsonObject,
  now: JsonObject,
): void {
  let removed = 0;
  old.forEach((before, name) => {
    const after = now.get(name);
    if (before === after) return;
    if (after === undefined) {
      removed++;
      operations.push({ op: 'remove', path: memberPointer(path, name) });
    } else compareValues(operations, path, name, before, after);
  });
  if (now.size === old.size - removed) return;
  now.forEach((value, name) => {
    if (!old.has(name)) put(operations, 'add', memberPointer(path, name), value);
  });
}

/** Appends the operations for the members that `token` names in the containers at `parent`. */
function compareValues(
  operations: Operations,
  parent: Path,
  token: string | number,
  old: Json,
  now: Json,
): void {
  if (old === now) return;
  if (old instanceof JsonNumber) {
    if (now instanceof JsonNumber && old.text === now.text) return;
  } else if (parent.level === MAX_LEVELS) {
    if (jsonEqual(old, now)) return;
  } else if (old instanceof Map) {
    if (now instanceof Map) {
      const start = operations.length;
      const path: Path = { parent, token, level: parent.level + 1, pointer: undefined };
      compareMembers(operations, path, old, now);
      if (operations.length > start + 1) shorten(operations, start, path, now);
      return;
    }
  } else if (Array.isArray(old) && Array.isArray(now)) {
    const start = operations.length;
    const path: Path = { parent, token, level: parent.level + 1, pointer: undefined };
    if (old.length === now.length) {
      let changed: number[] | undefined;
      for (let index = 0; index < old.length; index++) {
        const count = operations.length;
        compareValues(operations, path, index, old[index] as Json, now[index] as Json);
        if (operations.length === count) continue;
        if (changed === undefined) changed = [index];
        else changed.push(index);
      }
      if (changed !== undefined && changed.length > 1 && !keepKeys(old, now, changed)) {
        const inStep = byElement(operations.splice(start), pointerOf(path));
        compareMatched(operations, path, old, now, inStep);
      }
    } else compareMatched(operations, path, old, now);
    if (operations.length > start + 1) shorten(operations, start, path, now);
    return;
  }
  put(operations, 'replace', memberPointer(parent, token), now);
}

/**
 * Compares arrays by matching their elements, which may have come, gone or moved. `inStep` has what
 * was found by comparing them index by index: in nested arrays, to compare them again would double
 * the time at each level.
 */
function compareMatched(
  operations: Operations,
  path: Path,
  old: readonly Json[],
  now: readonly Json[],
  inStep?: ReadonlyMap<number, Operations>,
): void {
  const { oldStart, oldEnd, nowStart, nowEnd, matches } = matchElements(old, now);
  // Of the next element in `now`, and in the array as the operations so far have made it.
  let index = nowStart;
  const addUntil = (end: number): void => {
    for (; index < end; index++) {
      put(operations, 'add', memberPointer(path, index), now[index] as Json);
    }
  };
  for (let at = oldStart; at < oldEnd; at++) {
    const match = matches[at - oldStart] as number;
    if (match === -1) {
      operations.push({ op: 'remove', path: memberPointer(path, index) });
      continue;
    }
    addUntil(match);
    if (inStep !== undefined && match === at) {
      for (const operation of inStep.get(at) ?? []) operations.push(operation);
    } else compareValues(operations, path, index, old[at] as Json, now[match] as Json);
    index++;
  }
  addUntil(nowEnd);
}

/** The operations in the array at a pointer, by the index of the element that they change. */
function byElement(operations: Operations, pointer: string): Map<number, Operations> {
  const found = new Map<number, Operations>();
  for (const operation of operations) {
    const index = Number.parseInt(operation.path.slice(pointer.length + 1), 10);
    const known = found.get(index);
    if (known === undefined) found.set(index, [operation]);
    else known.push(operation);
  }
  return found;
}

/** The length of an operation's text without its path and value. */
const OPERATION_LENGTH = '{"op":"replace","path":"","value":},'.length;

/** In a container with more members two operations are kept: to look at it takes too long. */
const FEW_MEMBERS = 3;

/**
 * Replaces two or more operations in a container, from the index `start` on, with one for the whole
 * container, if that is shorter.
 */
function shorten(
  operations: Operations,
  start: number,
  path: Path,
  now: JsonObject | Json[],
): void {
  const members = now instanceof Map ? now.size : now.length;
  if (members > FEW_MEMBERS && operations.length === start + 2) return;
  const pointer = pointerOf(path);
  let length = -OPERATION_LENGTH - pointer.length;
  for (let index = start; index < operations.length; index++) {
    const operation = operations[index] as TextOperation;
    length += OPERATION_LENGTH + operation.path.length;
    if (operation.op !== 'remove') length += operation.value.length;
  }
  if (!isShorter(now, length)) return;
  operations.length = start;
  put(operations, 'replace', pointer, now);
}

function put(operations: Operations, op: 'add' | 'replace', path: string, value: Json): void {
  operations.push({ op, path, value: compactJson(value) });
}

function memberPointer(path: Path, token: string | number): string {
  return `${pointerOf(path)}/${typeof token === 'string' ? escapeToken(token) : token}`;
}

function pointerOf(path: Path): string {
  path.pointer ??= memberPointer(path.parent as Path, path.token);
  return path.pointer;
}
