import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  closingQuote,
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

/** By this alone a bracket differs from the brace that opens or closes like it. */
const BRACE_BIT = OPEN_BRACE ^ OPEN_BRACKET;

/**
 * Passes what reads the same in both texts and keeps the trail; nearly all the time is spent here.
 * Stops where they differ, or at the end of a container in which they did.
 */
export function passSame(walk: Walk, trail: Trail, from: number, shift: number): number {
  const { before } = walk;
  const end = sameUntil(walk, from, shift);
  let level = trail.levels[trail.depth] as Level;
  for (let at = from; at < end; at++) {
    const code = before.charCodeAt(at);
    if (code === QUOTE) {
      at = closingQuote(before, at);
    } else if (code === COMMA) {
      level.behind = at + 1;
      level.index++;
    } else if (code === COLON) {
      level.value = at + 1;
    } else if ((code | BRACE_BIT) === OPEN_BRACE) {
      if (trail.depth + trail.base === MAX_DEPTH) return at;
      level = enter(trail, at, at + shift, code === OPEN_BRACKET);
    } else if ((code | BRACE_BIT) === CLOSE_BRACE) {
      if (trail.depth === 0 || level.isTouched) return at;
      level = trail.levels[--trail.depth] as Level;
      level.ended = at + 1;
    }
  }
  return end;
}

/** So far characters are compared one by one, since a change is mostly near where many are. */
const NEAR = 512;
const MAX_PIECE = 65_536;

/** How far the texts read the same from here on, as an offset of the text before. */
export function sameUntil(walk: Walk, from: number, shift: number): number {
  const { same } = walk;
  if (shift === same.shift && from >= same.from && from < same.end) return same.end;
  const near = passEqual(walk, from, shift, NEAR);
  same.end = near < from + NEAR ? near : passPieces(walk, near, shift);
  same.from = from;
  same.shift = shift;
  return same.end;
}

function passEqual({ before, after }: Walk, from: number, shift: number, limit: number): number {
  const end = Math.min(from + limit, before.length);
  let at = from;
  while (at < end && before.charCodeAt(at) === after.charCodeAt(at + shift)) at++;
  return at;
}

/** Compares piece by piece, which the engine does faster than any loop here. */
function passPieces(walk: Walk, from: number, shift: number): number {
  const { before, after } = walk;
  let at = from;
  let piece = NEAR;
  const isSame = (): boolean =>
    before.slice(at, at + piece) === after.slice(at + shift, at + shift + piece);
  for (; at < before.length && isSame(); piece = Math.min(piece * 2, MAX_PIECE)) at += piece;
  for (; piece > NEAR; piece /= 2) if (isSame()) at += piece;
  return passEqual(walk, at, shift, before.length);
}

/** Whether a container ends there in both texts. */
export function isClosing({ before, after }: Walk, at: number, shift: number): boolean {
  const code = before.charCodeAt(at);
  if (code !== CLOSE_BRACE && code !== CLOSE_BRACKET) return false;
  return code === after.charCodeAt(at + shift);
}
