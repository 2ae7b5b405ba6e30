import { escapeToken } from '../json/pointer.ts';
import { reformat } from '../json/reformat.ts';
import type { ParsedObject } from '../json/value.ts';
import { compareObjects } from './compare.ts';
import { withSourceText } from './duplicates.ts';
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
 * Finds a small patch of `add`, `replace` and `remove` that makes one row of the other ("PATCH
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
