import { structuredPatch } from 'diff';

/** Lines around a change that are shown with it. */
const CONTEXT = 3;
/** With more lines changed the whole text is: the search would take more than a second or two. */
const MAX_EDITS = 4000;

/** A stretch of two texts that differs, with the lines around it: each begins with a space, `-` or `+`. */
export interface LineHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

/** What differs between two texts, line by line; empty where they are the same. */
export function lineHunks(oldText: string, newText: string): readonly LineHunk[] {
  if (oldText === newText) return [];
  const [old, now] = [`${oldText}\n`, `${newText}\n`];
  const options = { context: CONTEXT, maxEditLength: MAX_EDITS };
  const patch = structuredPatch('', '', old, now, undefined, undefined, options);
  return patch?.hunks ?? [wholeText(oldText.split('\n'), newText.split('\n'))];
}

/** Where a stretch is in the two texts, as `diff -u` has it: `@@ -1,11 +1,10 @@`. */
export function hunkHead({ oldStart, oldLines, newStart, newLines }: LineHunk): string {
  return `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`;
}

function wholeText(old: readonly string[], now: readonly string[]): LineHunk {
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
