import { reformat } from '../json/reformat.ts';
import { compareContainers } from './compare.ts';
import { startWalk, type TextOperation } from './walk.ts';

/** A row's text, and the pointers of the names that occur twice in one of its objects. */
export interface RowText {
  readonly text: string;
  readonly duplicates: readonly string[];
}

export interface RowDiff {
  readonly operations: readonly TextOperation[];
  /** Objects whose common names stand in another order: a patch does not carry that. */
  readonly reordered: readonly string[];
  /** Names that occur twice in the row itself, which differs: no patch carries that. */
  readonly uncarried: readonly string[];
}

/**
 * Finds the smallest patch it can of `add`, `replace` and `remove` that makes one row of the other
 * ("PATCH rules"). It works on the texts: every value is carried as it is written, and what reads
 * the same is passed over without a look into it. The row itself is never replaced whole.
 */
export function diffRows(before: RowText, after: RowText): RowDiff {
  const watchesNames = before.duplicates.length > 0 || after.duplicates.length > 0;
  // Objects with such names are compared by their text, so it must be free of all layout.
  const compact = watchesNames ? (text: string) => reformat(text, 0) : withoutLayout;
  const walk = startWalk(compact(before.text), compact(after.text), watchesNames);
  if (walk.before !== walk.after) compareContainers(walk, 0, 0, '', 0);
  const { operations, reordered, twins } = walk;
  return { operations, reordered: [...reordered], uncarried: [...twins] };
}

/** Takes the layout off a text that seems to have one, so that the same value reads the same. */
function withoutLayout(text: string): string {
  const bare = text.trim();
  return LAID_OUT.test(bare) || bare.includes('\n') ? reformat(bare, 0) : bare;
}

/** A space after the first bracket, name or colon: the rest is taken to look alike. */
const LAID_OUT = /^\{(?:\s|"(?:[^"\\]|\\.){0,200}"(?:\s|:\s))/;
