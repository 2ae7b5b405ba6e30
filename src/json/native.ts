import { compactJson } from './print.ts';
import { parseJson } from './scan.ts';
import { isDeeperThan, type Json, JsonNumber, type JsonObject, MAX_LEVELS } from './value.ts';

/**
 * Turns plain values (literals, the result of `JSON.parse`) into Json; TypeError for other values,
 * and for more than `MAX_LEVELS`, which a value that contains itself has.
 */
export function fromNative(value: unknown): Json {
  return fromLevel(value, MAX_LEVELS);
}

function fromLevel(value: unknown, levels: number): Json {
  if (typeof value !== 'object' || value === null) return scalarFromNative(value);
  if (levels === 0) throw new TypeError(`more than ${MAX_LEVELS} levels`);
  if (Array.isArray(value)) {
    const array: Json[] = [];
    // for-of, unlike forEach, also meets the holes of a sparse array, which are not JSON.
    for (const each of value) array.push(fromLevel(each, levels - 1));
    return array;
  }
  if (!isPlainObject(value)) throw new TypeError('only plain objects and arrays are JSON');
  const object: JsonObject = new Map();
  for (const [name, each] of Object.entries(value)) {
    object.set(name, fromLevel(each, levels - 1));
  }
  return object;
}

/** Whether an object has no class; one of another realm, such as a test runner's context, counts too. */
export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function scalarFromNative(value: unknown): Json {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number' && Number.isFinite(value)) {
    return new JsonNumber(Object.is(value, -0) ? '-0' : String(value));
  }
  throw new TypeError(`JSON has no ${typeof value === 'number' ? String(value) : typeof value}`);
}

/** Turns Json into plain values, as the engine's parser makes them: lossy for `isLossyNumber`. */
export function toNative(value: Json): unknown {
  return JSON.parse(compactJson(value));
}

/** The value of a text, by the engine's parser; undefined if it is not JSON. */
export function nativeOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads a text with the engine's parser, which is several times as fast as `parseJson`, and refuses
 * what that refuses; throws JsonSyntaxError.
 */
export function parseNative(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return parseJson(text); // throws, with the place
  }
  return isDeeperThan(MAX_LEVELS, value) ? parseJson(text) : value;
}
