import { spoken, toneOf } from './paint.ts';
import type { Cell } from './table.ts';
import { bytesText, shortTime, timeText } from './units.ts';

/** A time (ms since the epoch, like `now`), short on a terminal. */
export function timeCell(ms: number, now: number): Cell {
  return { exact: timeText(ms), short: shortTime(ms, now) };
}

export function stateCell(word: string): Cell {
  return { exact: word, short: spoken(word), tone: toneOf(word) };
}

/** A number of bytes; `1.5 KB` on a terminal. */
export function bytesCell(bytes: number | null): Cell {
  return bytes === null ? null : { exact: bytes, short: bytesText(bytes) };
}

/** The number of bad or doubtful items: coloured unless it is 0. */
export function countCell(count: number, word: string): Cell {
  return { exact: count, tone: count === 0 ? 'dim' : toneOf(word) };
}
