import { structuredPatch, type StructuredPatchHunk } from 'diff';
import type { Colors } from './colors.ts';

/** Lines around a change that are shown with it. */
const CONTEXT = 3;
/** With more lines changed the whole text is: the search would take more than a second or two. */
const MAX_EDITS = 4000;

/**
 * The unified diff of two texts, as `diff -u` and every reader of patches has it; empty where they
 * are the same. `shown` makes the text of a line safe to show.
 */
export function unifiedDiff(
  [oldName, oldText]: readonly [string, string],
  [newName, newText]: readonly [string, string],
  colors: Colors,
  shown: (text: string) => string,
): string {
  const [old, now] = [`${oldText}\n`, `${newText}\n`];
  const options = { context: CONTEXT, maxEditLength: MAX_EDITS };
  const patch = structuredPatch(oldName, newName, old, now, undefined, undefined, options);
  const hunks = patch?.hunks ?? [wholeText(oldText.split('\n'), newText.split('\n'))];
  if (hunks.length === 0) return '';
  const output = [colors.bold(`--- ${oldName}`), colors.bold(`+++ ${newName}`)];
  for (const { oldStart, oldLines, newStart, newLines, lines } of hunks) {
    output.push(colors.cyan(`@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`));
    for (const line of lines) output.push(shownLine(line, colors, shown));
  }
  return `${output.join('\n')}\n`;
}

function wholeText(old: readonly string[], now: readonly string[]): StructuredPatchHunk {
  return {
    oldStart: 1,
    oldLines: old.length,
    newStart: 1,
    newLines: now.length,
    lines: [...old.map((line) => `-${line}`), ...now.map((line) => `+${line}`)],
  };
}

function range(start: number, lines: number): string {
  return lines === 1 ? `${start}` : `${start},${lines}`;
}

function shownLine(line: string, colors: Colors, shown: (text: string) => string): string {
  const safe = line.slice(0, 1) + shown(line.slice(1));
  if (line.startsWith(' ')) return safe;
  return line.startsWith('-') ? colors.red(safe) : colors.green(safe);
}
