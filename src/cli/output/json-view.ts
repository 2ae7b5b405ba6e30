import type { Colors } from '../colors.ts';

/** Options for showing JSON. */
interface JsonView {
  readonly colors: Colors;
  /** Values below this depth are folded. */
  readonly depth?: number | undefined;
}

/** As `reformat` indents. */
const INDENT = 2;

/** A line of formatted JSON: its indent, an optional name, a value or bracket, an optional comma. */
const LINE = /^( *)(?:("[^"\\]*(?:\\.[^"\\]*)*")(: ?))?(.*?)(,?)$/s;

/**
 * A JSON text formatted by `reformat`, in colour: names dim, strings green. Folded values show
 * their size: `{… 12 keys}`, `[… 300 items]`.
 */
export function viewJson(laidOut: string, { colors, depth = Infinity }: JsonView): string {
  const shown: string[] = [];
  let folded: { readonly indent: number; readonly head: string; count: number } | undefined;
  for (const line of laidOut.split('\n')) {
    const [, space = '', name, colon = '', value = '', comma = ''] = LINE.exec(line) ?? [];
    const head = space + (name === undefined ? '' : colors.dim(name) + colon);
    if (folded !== undefined) {
      if (space.length === folded.indent + INDENT && !CLOSING.includes(value)) folded.count += 1;
      if (space.length !== folded.indent) continue;
      shown.push(folded.head + colors.dim(foldedText(value, folded.count)) + comma);
      folded = undefined;
    } else if (OPENING.includes(value) && space.length >= depth * INDENT) {
      folded = { indent: space.length, head, count: 0 };
    } else shown.push(head + (value.startsWith('"') ? colors.green(value) : value) + comma);
  }
  return shown.join('\n');
}

const OPENING = ['{', '['];
const CLOSING = ['}', ']'];

function foldedText(closing: string, count: number): string {
  const [opening, what] = closing === '}' ? ['{', 'key'] : ['[', 'item'];
  return `${opening}… ${count} ${what}${count === 1 ? '' : 's'}${closing}`;
}
