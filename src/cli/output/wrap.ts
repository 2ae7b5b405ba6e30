import stringWidth from 'fast-string-width';
import type { Output } from '../runtime.ts';

/**
 * Breaks lines at spaces to fit `width` columns; continuation lines keep the indent, and those of
 * an item align with its text.
 */
export function wrapLines(lines: readonly string[], width: number | undefined): string[] {
  return width === undefined ? [...lines] : lines.flatMap((line) => wrapLine(line, width));
}

/** The width that texts for an output are wrapped to; only those of a terminal are. */
export function widthOf({ isTerminal, columns }: Output): number | undefined {
  return isTerminal ? columns : undefined;
}

/**
 * Like `wrapLines`, for a message. Commands in it are not broken, so that they can be copied when
 * the terminal wraps them.
 */
export function wrapMessage(message: string, width: number | undefined): string {
  const lines = message.split('\n').map(keepCommand);
  return wrapLines(lines, width).join('\n').replaceAll(KEPT, ' ');
}

function keepCommand(line: string): string {
  return line.replace(COMMAND, (command) => command.replaceAll(' ', KEPT));
}

/** Ends at a `;`, and before what a message says of the command in parentheses or brackets. */
const COMMAND = /(?<=: )lectern(?: (?![([])(?:'[^']*'|"[^"]*"|\\.|[^\s;'"])+)+/g;

/** A space at which lines are not broken. */
const KEPT = '\u{A0}';

function wrapLine(line: string, width: number): string[] {
  const start = /^ *(?:[-→] )?/.exec(line)?.[0] ?? '';
  const indent = ' '.repeat(start.length);
  const done: string[] = [];
  let current = start;
  let room = width - start.length;
  for (const word of line.slice(start.length).trim().split(' ')) {
    const isFirst = current === start;
    const needed = stringWidth(word) + (isFirst ? 0 : 1);
    if (!isFirst && needed > room) {
      done.push(current);
      current = indent + word;
      room = width - indent.length - (needed - 1);
    } else {
      current += isFirst ? word : ` ${word}`;
      room -= needed;
    }
  }
  return [...done, current];
}
