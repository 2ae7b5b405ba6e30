import { wrapLines } from '../output/wrap.ts';

/** Paragraphs separated by empty lines, filled to a width; indented ones stay unchanged. */
export function fill(text: string, width: number): string {
  return text
    .split('\n\n')
    .map((paragraph) =>
      paragraph.startsWith(' ')
        ? paragraph
        : wrapLines([paragraph.replaceAll('\n', ' ')], width).join('\n'),
    )
    .join('\n\n');
}

/** Names with their meanings in a second column, which wraps. */
export function items(
  list: readonly (readonly [name: string, meaning: string])[],
  width: number,
): string {
  const nameWidth = list.reduce((most, [name]) => Math.max(most, name.length), 0) + 2;
  const indent = ' '.repeat(nameWidth);
  return list
    .map(([name, meaning]) => {
      const lines = wrapLines([meaning], width - nameWidth);
      return name.padEnd(nameWidth) + lines.join(`\n${indent}`);
    })
    .join('\n');
}
