import { type RowDiff, diffRows } from '../../diff/index.ts';
import { reformat } from '../../json/index.ts';
import { InvalidError } from '../../errors.ts';
import { escapeJson } from '../output/escape.ts';
import type { Output } from '../runtime.ts';
import type { Row } from '../../rows/row.ts';
import { hunkHead, lineHunks } from '../../diff/lines.ts';
import type { Colors } from '../output/paint.ts';

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

/** The line diff of two rows, for `output`; lines longer than `maxWidth` are cut. */
export function textDiff(
  output: Output,
  [oldName, before]: readonly [string, Row],
  [newName, after]: readonly [string, Row],
  maxWidth = Infinity,
): string {
  const cut = (text: string): string =>
    text.length > maxWidth ? `${text.slice(0, maxWidth)}…` : text;
  return unifiedDiff(
    [oldName, reformat(before.text)],
    [newName, reformat(after.text)],
    output.colors,
    output.isTerminal ? (text) => escapeJson(cut(text)) : cut,
  );
}

/**
 * The unified diff of two texts, as in `diff -u`; empty if they are equal. `shown` makes the text
 * of a line safe to show.
 */
export function unifiedDiff(
  [oldName, oldText]: readonly [string, string],
  [newName, newText]: readonly [string, string],
  colors: Colors,
  shown: (text: string) => string,
): string {
  const hunks = lineHunks(oldText, newText);
  if (hunks.length === 0) return '';
  const output = [colors.bold(`--- ${oldName}`), colors.bold(`+++ ${newName}`)];
  for (const hunk of hunks) {
    output.push(colors.cyan(hunkHead(hunk)));
    for (const line of hunk.lines) output.push(shownLine(line, colors, shown));
  }
  return `${output.join('\n')}\n`;
}

function shownLine(line: string, colors: Colors, shown: (text: string) => string): string {
  const safe = line.slice(0, 1) + shown(line.slice(1));
  if (line.startsWith(' ')) return safe;
  return line.startsWith('-') ? colors.red(safe) : colors.green(safe);
}
