/** Breaks lines at spaces so that they fit `width` columns; what follows keeps the line's indent. */
export function wrapped(lines: readonly string[], width: number | undefined): string[] {
  return width === undefined ? [...lines] : lines.flatMap((line) => wrapLine(line, width));
}

function wrapLine(line: string, width: number): string[] {
  const indent = /^ */.exec(line)?.[0] ?? '';
  const done: string[] = [];
  let current = indent;
  for (const word of line.trim().split(' ')) {
    const isFirst = current === indent;
    if (!isFirst && current.length + 1 + word.length > width) {
      done.push(current);
      current = indent + word;
    } else {
      current += isFirst ? word : ` ${word}`;
    }
  }
  return [...done, current];
}
