import { placedMessage } from '../../contract/index.ts';
import { type RowDiff, diffRows } from '../../diff/index.ts';
import { hunkHead, lineHunks } from '../../diff/lines.ts';
import { InvalidError } from '../../errors.ts';
import { compactSize, jsonEqual, type JsonObject, reformat } from '../../json/index.ts';
import type { Row, StoredRow } from '../../rows/row.ts';
import { escapeJson } from '../../contract/escape.ts';
import type { Colors } from '../colors.ts';
import { keyChangeLines, type KeyChanges, sizeChange } from '../output/row-change.ts';
import { numberText } from '../output/units.ts';
import type { Context, Output } from '../runtime.ts';
import type { RowTarget } from '../session/resolve-call.ts';
import { note } from '../output/notes.ts';
import { noteShown } from '../output/print.ts';

export async function showChange(
  context: Context,
  target: RowTarget,
  before: StoredRow,
  after: Row,
): Promise<void> {
  if ('violation' in before) {
    const { bytes, violation } = before;
    const what = `the current ${target.label} row (${bytes.length} bytes) is not a JSON object`;
    await note(context, `${what}: ${placedMessage(violation)}`);
    return;
  }
  for (const line of keyChangeLines(changedKeys(before.value, after.value))) {
    await note(context, line);
  }
  const sizes = sizeChange(compactSize(before.text), compactSize(after.text), target.kind);
  await note(context, `${target.label}: ${sizes}`);
}

/** A row nested 1,000 levels has 2,000 lines, and may have one of a megabyte. */
const MAX_LINES = 100;
const MAX_WIDTH = 200;

/** Prints the beginning of the line diff of two rows on standard error. */
export async function showDiff(
  context: Context,
  before: readonly [name: string, row: Row],
  after: readonly [name: string, row: Row],
): Promise<void> {
  const drawn = (output: Output): string => {
    const lines = textDiff(output, before, after, MAX_WIDTH).split(/(?<=\n)/);
    const more = lines.length - MAX_LINES;
    const rest = `… and ${numberText(more)} more lines; lectern storage diff shows all\n`;
    return lines.slice(0, MAX_LINES).join('') + (more > 0 ? rest : '');
  };
  await noteShown(context, { drawn });
}

/** The top-level names that differ between two rows, in the order of the rows. */
export function changedKeys(before: JsonObject, after: JsonObject): KeyChanges {
  const kept = [...before.keys()].filter((name) => after.has(name));
  return {
    gone: [...before.keys()].filter((name) => !after.has(name)),
    added: [...after.keys()].filter((name) => !before.has(name)),
    changed: kept.filter((name) => !jsonEqual(before.get(name) ?? null, after.get(name) ?? null)),
  };
}

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
