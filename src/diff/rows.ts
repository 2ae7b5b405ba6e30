import { escapeToken } from '../json/pointer.ts';
import { reformat } from '../json/reformat.ts';
import {
  type ParsedObject,
  type Json,
  JsonNumber,
  type JsonObject,
  type ParsedJson,
} from '../json/value.ts';
import { compareObjects } from './compare.ts';
import type { TextOperation } from './operations.ts';
import { reorderedObjects } from './order.ts';

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
 * `reordered` is looked for when it is read.
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
