import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../contract/index.ts';
import { formatPointer } from '../../json/pointer.ts';
import { RECORDED_LEVELS, RECORDED_POINTERS } from '../service/rows.ts';
import { parsed } from './parsed.ts';

type Values = Readonly<Record<string, unknown>>;

/** The row's object; an empty one for a row that was never written. */
function objectOf(bytes: Uint8Array | undefined): Values {
  const value = bytes === undefined ? {} : parsed(bytes);
  return isObject(value) ? value : {};
}

/** Pointers to added or changed values: to the names in an object, at any depth. */
export function pointersChanged(before: Uint8Array | undefined, after: Uint8Array): string[] {
  const pointers: string[] = [];
  compare(objectOf(before), objectOf(after), [], pointers);
  return pointers;
}

function compare(before: Values, after: Values, path: readonly string[], pointers: string[]): void {
  for (const name of Object.keys(after)) {
    if (pointers.length >= RECORDED_POINTERS) return;
    const tokens = [...path, name];
    const [was, is] = [Object.hasOwn(before, name) ? before[name] : undefined, after[name]];
    if (
      isObject(is) &&
      (isObject(was) || Object.keys(is).length > 0) &&
      tokens.length < RECORDED_LEVELS
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

/**
 * Pointers to the names that are gone, without those below them. Within an array nothing is
 * compared, because its elements move.
 */
export function pointersDropped(before: Uint8Array | undefined, after: Uint8Array): string[] {
  const pointers: string[] = [];
  if (before !== undefined) drop(objectOf(before), objectOf(after), [], pointers);
  return pointers;
}

function drop(was: Values, is: Values, path: readonly string[], pointers: string[]): void {
  for (const [name, value] of Object.entries(was)) {
    if (pointers.length >= RECORDED_POINTERS) return;
    const tokens = [...path, name];
    if (!Object.hasOwn(is, name)) pointers.push(formatPointer(tokens));
    else if (isObject(value) && !Array.isArray(is[name]) && tokens.length < RECORDED_LEVELS) {
      const next = is[name];
      drop(value, isObject(next) ? next : {}, tokens, pointers);
    }
  }
}
