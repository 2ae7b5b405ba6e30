import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '../json/characters.ts';
import { enter, type Level, type Trail } from './trail.ts';
import type { Walk } from './walk.ts';

/** What is deeper than this is replaced whole. */
export const MAX_DEPTH = 500;

/**
 * Passes what reads the same in both texts and keeps the trail; nearly all the time is spent here.
 * Stops where they differ, or at the end of a container in which they did.
 */
export function passSame(walk: Walk, trail: Trail, from: number, shift: number): number {
  const { before, after } = walk;
  let level = trail.levels[trail.depth] as Level;
  for (let at = from; ; at++) {
    const code = before.charCodeAt(at);
    if (code !== after.charCodeAt(at + shift)) return at;
    if (code === QUOTE) {
      at = passString(before, after, at, shift);
      if (at < 0) return -at;
    } else if (code === COMMA) {
      level.behind = at + 1;
      level.index++;
    } else if (code === COLON) level.value = at + 1;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (trail.depth + trail.base === MAX_DEPTH) return at;
      level = enter(walk, trail, at, at + shift);
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      if (trail.depth === 0 || level.length !== walk.length) return at;
      level = trail.levels[--trail.depth] as Level;
      level.ended = at + 1;
    }
  }
}

/** From the quote at `open` to the closing one; where the texts differ, negated, if they do. */
function passString(before: string, after: string, open: number, shift: number): number {
  let code = 0;
  let at = open;
  while (code !== QUOTE) {
    // Most strings are short, and a loop is the fastest; a long one is worth a look ahead.
    if ((++at & 63) === 0) at = leap(before, after, at, shift);
    code = before.charCodeAt(at);
    if (code !== after.charCodeAt(at + shift)) return -at;
    if (code === BACKSLASH && before.charCodeAt(++at) !== after.charCodeAt(at + shift)) return -at;
  }
  return at;
}

/** As far in a string as it has no quote, where both texts agree on all of that; else nowhere. */
function leap(before: string, after: string, from: number, shift: number): number {
  let end = before.indexOf('"', from);
  while (before.charCodeAt(end - 1) === BACKSLASH) end--;
  if (end <= from) return from;
  return after.startsWith(before.slice(from, end), from + shift) ? end : from;
}

/** Whether a container ends there in both texts. */
export function isClosing({ before, after }: Walk, at: number, shift: number): boolean {
  const code = before.charCodeAt(at);
  if (code !== CLOSE_BRACE && code !== CLOSE_BRACKET) return false;
  return code === after.charCodeAt(at + shift);
}
