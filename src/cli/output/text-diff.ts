import { hunkHead, lineHunks } from '../../diff/lines.ts';
import type { Colors } from './colors.ts';

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
