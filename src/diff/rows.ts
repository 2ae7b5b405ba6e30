import { escapeToken } from '../json/pointer.ts';
import { reformat } from '../json/reformat.ts';
import {
  type Json,
  JsonNumber,
  type JsonObject,
  type ParsedJson,
  type ParsedObject,
} from '../json/value.ts';
import { type TextOperation, compareObjects } from './compare.ts';
import { matchedElements } from './elements.ts';

export interface RowDiff {
  readonly operations: readonly TextOperation[];
  /** Pointers of objects whose common names are in another order, which no patch carries. */
  readonly reordered: readonly string[];
  /** Pointers of names that are duplicate in the row itself, which differs: no patch carries that. */
  readonly uncarried: readonly string[];
}

/**
 * Finds a small patch of `add`, `replace` and `remove` that turns `before` into `after` ("PATCH
 * rules"). Numbers are compared and carried by their text. An object that has names more than once
 * is replaced whole; the row itself never is, so where it has such names there is no patch.
 * `reordered` is only found when it is read: in a row of 750 KB with long arrays that takes several
 * times as long as the operations (1.3 and 0.2 seconds, in a cold process).
 */
export function diffRows(before: ParsedObject, after: ParsedObject): RowDiff {
  const names = [...duplicateNames(before), ...duplicateNames(after)];
  if (names.length > 0) {
    const isSame = reformat(before.text, 0) === reformat(after.text, 0);
    const uncarried = isSame ? [] : [...new Set(names)].map((name) => `/${escapeToken(name)}`);
    return { operations: [], reordered: [], uncarried };
  }
  const [old, now] = [withSourceText(before), withSourceText(after)];
  return {
    operations: compareObjects(old, now),
    uncarried: [],
    get reordered() {
      return reorderedObjects(old, now);
    },
  };
}

function duplicateNames({ value, duplicateKeys }: ParsedObject): Iterable<string> {
  return duplicateKeys.get(value)?.names ?? [];
}

/**
 * The value of a row in which every object that has a name more than once, and is not the row
 * itself, is a leaf with the object's compact text: such an object can only be compared and carried
 * whole. A leaf is a `JsonNumber`, since that is compared and written by its text.
 */
function withSourceText({ text, value, duplicateKeys }: ParsedJson): JsonObject {
  if (duplicateKeys.size === 0) return value as JsonObject;
  const copy = (source: Json): Json => {
    if (Array.isArray(source)) return source.map(copy);
    if (!(source instanceof Map)) return source;
    const twice = duplicateKeys.get(source);
    if (twice === undefined) return copyOf(source);
    return new JsonNumber(reformat(text.slice(twice.start, twice.end), 0));
  };
  const copyOf = (object: JsonObject): JsonObject =>
    new Map(Array.from(object, ([name, each]) => [name, copy(each)]));
  return copyOf(value as JsonObject);
}

/** Deeper than this nothing is looked for. */
const MAX_LEVELS = 100;

/** The pointers of objects in both values whose common names are in another order in each. */
function reorderedObjects(old: Json, now: Json): string[] {
  const paths: string[] = [];
  visit(paths, '', old, now, 1);
  return paths;
}

function visit(paths: string[], path: string, old: Json, now: Json, level: number): void {
  if (old === now || level > MAX_LEVELS) return;
  if (old instanceof Map && now instanceof Map) {
    if (isReordered(old, now)) paths.push(path);
    for (const [name, value] of old) {
      const other = now.get(name);
      if (other !== undefined)
        visit(paths, `${path}/${escapeToken(name)}`, value, other, level + 1);
    }
  } else if (Array.isArray(old) && Array.isArray(now)) {
    for (const [at, other] of matchedElements(old, now)) {
      visit(paths, `${path}/${other}`, old[at] as Json, now[other] as Json, level + 1);
    }
  }
}

function isReordered(old: JsonObject, now: JsonObject): boolean {
  const names = [...now.keys()].filter((name) => old.has(name));
  let at = 0;
  for (const name of old.keys()) if (now.has(name) && names[at++] !== name) return true;
  return false;
}
