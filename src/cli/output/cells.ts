import { spoken, toneOf } from './paint.ts';
import type { Cell } from './table.ts';
import { bytesText, shortTime, timeText } from './units.ts';

/** A moment (ms since the epoch), short on a terminal; `now` likewise. */
export function timeCell(ms: number, now: number): Cell {
  return { exact: timeText(ms), short: shortTime(ms, now) };
}

/** A state in a word, in its colour. */
export function stateCell(word: string): Cell {
  return { exact: word, short: spoken(word), tone: toneOf(word) };
}

/** A number of bytes; `1.5 KB` on a terminal. */
export function bytesCell(bytes: number | null): Cell {
  return bytes === null ? null : { exact: bytes, short: bytesText(bytes) };
}

/** How many there are of something bad or doubtful: in its colour unless it is none. */
export function countCell(count: number, word: string): Cell {
  return { exact: count, tone: count === 0 ? 'dim' : toneOf(word) };
}
