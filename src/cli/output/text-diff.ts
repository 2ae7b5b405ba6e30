import { align } from '../../diff/index.ts';
import type { Colors } from './colors.ts';

/** Lines around a change that are shown with it. */
const CONTEXT = 3;

/** A line of either text: kept, gone or new. */
interface Line {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

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
  const lines = alignLines(oldText.split('\n'), newText.split('\n'));
  const hunks = hunksOf(lines);
  if (hunks.length === 0) return '';
  const output = [colors.bold(`--- ${oldName}`), colors.bold(`+++ ${newName}`)];
  for (const { title, from, to } of hunks) {
    output.push(colors.cyan(title));
    for (const line of lines.slice(from, to)) output.push(shownLine(line, colors, shown));
  }
  return `${output.join('\n')}\n`;
}

function shownLine({ sign, text }: Line, colors: Colors, shown: (text: string) => string): string {
  const line = sign + shown(text);
  if (sign === ' ') return line;
  return sign === '-' ? colors.red(line) : colors.green(line);
}

function alignLines(old: readonly string[], now: readonly string[]): Line[] {
  const kinds = new Map<string, number>();
  const kindOf = (text: string): number => {
    const known = kinds.get(text);
    if (known !== undefined) return known;
    kinds.set(text, kinds.size);
    return kinds.size - 1;
  };
  const [a, b] = [Int32Array.from(old, kindOf), Int32Array.from(now, kindOf)];
  const lines: Line[] = [];
  let j = 0;
  for (const [i, match] of align(a, b, kinds.size).entries()) {
    const text = old[i] as string;
    if (match === -1) {
      lines.push({ sign: '-', text });
      continue;
    }
    while (j < match) lines.push({ sign: '+', text: now[j++] as string });
    lines.push({ sign: ' ', text });
    j++;
  }
  while (j < now.length) lines.push({ sign: '+', text: now[j++] as string });
  return lines;
}

interface Hunk {
  readonly title: string;
  readonly from: number;
  readonly to: number;
}

/** The stretches around the changes; those whose contexts meet are one. */
function hunksOf(lines: readonly Line[]): Hunk[] {
  const hunks: { from: number; to: number }[] = [];
  for (const [at, { sign }] of lines.entries()) {
    if (sign === ' ') continue;
    const last = hunks.at(-1);
    const to = Math.min(lines.length, at + 1 + CONTEXT);
    if (last && at - CONTEXT <= last.to) last.to = to;
    else hunks.push({ from: Math.max(0, at - CONTEXT), to });
  }
  let counted = 0;
  let [oldLine, newLine] = [1, 1];
  return hunks.map(({ from, to }) => {
    for (; counted < from; counted++) {
      if (lines[counted]?.sign !== '+') oldLine++;
      if (lines[counted]?.sign !== '-') newLine++;
    }
    const [oldStart, newStart] = [oldLine, newLine];
    for (; counted < to; counted++) {
      if (lines[counted]?.sign !== '+') oldLine++;
      if (lines[counted]?.sign !== '-') newLine++;
    }
    const title = `@@ -${range(oldStart, oldLine)} +${range(newStart, newLine)} @@`;
    return { title, from, to };
  });
}

function range(start: number, end: number): string {
  return end - start === 1 ? `${start}` : `${start},${end - start}`;
}
