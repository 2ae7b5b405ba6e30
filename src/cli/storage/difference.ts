import { diffRows, type RowDiff } from '../../diff/index.ts';
import { reformat } from '../../json/index.ts';
import { InvalidError } from '../../errors.ts';
import { escapeJson } from '../output/escape.ts';
import { unifiedDiff } from '../output/text-diff.ts';
import type { Output } from '../runtime.ts';
import type { Row } from '../../rows/row.ts';

/** The patch from one row to another; throws InvalidError with the names that no patch can express. */
export function exactPatch(before: Row, after: Row): RowDiff {
  const diff = diffRows(before, after);
  if (diff.uncarried.length === 0) return diff;
  throw new InvalidError(
    `a patch cannot express duplicate names in the row itself: ${diff.uncarried.join(', ')}`,
    {
      code: 'body.duplicate_name',
      hint: 'keep one of each, or replace the whole row with: lectern storage put',
    },
  );
}

/** The line diff of two rows, for `output`. */
export function textDiff(
  output: Output,
  [oldName, before]: readonly [string, Row],
  [newName, after]: readonly [string, Row],
): string {
  return unifiedDiff(
    [oldName, reformat(before.text)],
    [newName, reformat(after.text)],
    output.colors,
    output.isTerminal ? escapeJson : (text) => text,
  );
}
