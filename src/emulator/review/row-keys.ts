import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../contract/index.ts';
import { formatPointer, parsePointer } from '../../json/pointer.ts';
import { parsed } from './seen-request.ts';

/** Deeper levels, and further names, are not compared. */
const MAX_LEVELS = 20;
const MAX_POINTERS = 500;

type Values = Readonly<Record<string, unknown>>;

/** The row's object; an empty one for a row that was never written. */
function objectOf(bytes: Uint8Array | undefined): Values {
  const value = bytes === undefined ? {} : parsed(bytes);
  return isObject(value) ? value : {};
}

/** Pointers to the names of an object at its top. */
export function namesIn(bytes: Uint8Array | undefined): string[] {
  return Object.keys(objectOf(bytes))
    .slice(0, MAX_POINTERS)
    .map((name) => formatPointer([name]));
}

/** Pointers to added or changed values: to the names in an object, at any depth. */
export function pointersChanged(before: Uint8Array | undefined, after: Uint8Array): string[] {
  const pointers: string[] = [];
  compare(objectOf(before), objectOf(after), [], pointers);
  return pointers;
}

function compare(before: Values, after: Values, path: readonly string[], pointers: string[]): void {
  for (const name of Object.keys(after)) {
    if (pointers.length >= MAX_POINTERS) return;
    const tokens = [...path, name];
    const [was, is] = [Object.hasOwn(before, name) ? before[name] : undefined, after[name]];
    if (
      isObject(is) &&
      (isObject(was) || Object.keys(is).length > 0) &&
      tokens.length < MAX_LEVELS
    ) {
      compare(isObject(was) ? was : {}, is, tokens, pointers);
    } else if (was === undefined || !isEqual(was, is)) pointers.push(formatPointer(tokens));
  }
}

/**
 * Values that are nested too deeply to be compared count as equal, so that nothing is reported on a
 * guess.
 */
function isEqual(a: unknown, b: unknown): boolean {
  try {
    return isDeepStrictEqual(a, b);
  } catch {
    return true;
  }
}

/** Picks those of some pointers of which this holds; `was` has a name at each. */
const pointersWhere =
  (holds: (pointer: string, was: Values, is: Values) => boolean) =>
  (pointers: readonly string[], before: Uint8Array | undefined, after: Uint8Array): string[] => {
    if (pointers.length === 0) return [];
    const [was, is] = [objectOf(before), objectOf(after)];
    return pointers.filter((pointer) => has(was, pointer) && holds(pointer, was, is));
  };

/** The pointers that lead to a name before, but not after. */
export const pointersDropped = pointersWhere((pointer, _, is) => !has(is, pointer));

/** The pointers that lead to one value before and to another one after. */
export const pointersOverwritten = pointersWhere(
  (pointer, was, is) => has(is, pointer) && !isEqual(valueAt(was, pointer), valueAt(is, pointer)),
);

/**
 * The value that a pointer leads to through objects, or the array or other value that ends its
 * path.
 */
function valueAt(object: Values, pointer: string): unknown {
  let value: unknown = object;
  for (const token of parsePointer(pointer) ?? []) {
    if (!isObject(value)) return value;
    value = value[token];
  }
  return value;
}

/** Whether a pointer leads to a name through objects only: the elements of an array move. */
function has(object: Values, pointer: string): boolean {
  let value: unknown = object;
  const tokens = parsePointer(pointer) ?? [];
  for (const token of tokens) {
    // Replaced by something other than an object, it was overwritten, not dropped.
    if (!isObject(value)) return Array.isArray(value);
    if (!Object.hasOwn(value, token)) return false;
    value = value[token];
  }
  return tokens.length > 0;
}
