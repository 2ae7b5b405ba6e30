import { BACKSLASH, closingQuote, LETTER_U, QUOTE, SLASH, SPACE } from './characters.ts';

/** Control characters that compact JSON writes with two characters. */
const SHORT_ESCAPES = '\b\t\n\f\r';
const SURROGATE = /[\ud800-\udfff]/;
const ENCODER = new TextEncoder();
const SCRATCH = new Uint8Array(65_536);

/**
 * The bytes of a valid text's compact form in UTF-8, which "Limits" bounds, without building it:
 * white space and needless escapes are taken off the text's own length. A name that occurs twice is
 * counted as often as it is written. `bytes` is the text's own length in UTF-8, where that is known:
 * one of a byte for each character has no surrogates, and need not be encoded.
 */
export function compactSize(text: string, bytes?: number): number {
  if (bytes === text.length) return bytes - spaceOutsideStrings(text) - needlessEscapeBytes(text);
  const plain = SURROGATE.test(text) ? text.replace(/\p{Surrogate}/gu, escapeUnit) : text;
  return utf8Length(plain) - spaceOutsideStrings(plain) - needlessEscapeBytes(plain);
}

/** A surrogate without its other half has no UTF-8; compact JSON writes it as an escape. */
function escapeUnit(surrogate: string): string {
  return `\\u${surrogate.charCodeAt(0).toString(16)}`;
}

/** Encodes into the same scratch space again and again: ten times as fast as making the bytes. */
export function utf8Length(text: string): number {
  let length = 0;
  let at = 0;
  while (at < text.length) {
    const { read, written } = ENCODER.encodeInto(text.slice(at), SCRATCH);
    length += written;
    at += read;
  }
  return length;
}

/** Counts the white space between the tokens; leaps over strings, since most of a row is strings. */
function spaceOutsideStrings(text: string): number {
  let space = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(text, at);
    else if (code <= SPACE) space++;
  }
  return space;
}

/** The bytes by which escapes are longer than compact JSON would write what they stand for. */
function needlessEscapeBytes(text: string): number {
  let needless = 0;
  let at = text.indexOf('\\');
  while (at !== -1) {
    const length = escapeLength(text, at);
    needless += length - escapedSize(text, at, length);
    const next = at + length;
    at = text.charCodeAt(next) === BACKSLASH ? next : text.indexOf('\\', next);
  }
  return needless;
}

/** Two characters, six with a \u, or twelve where two of those make one character. */
function escapeLength(text: string, at: number): number {
  if (text.charCodeAt(at + 1) !== LETTER_U) return 2;
  if (!isHighSurrogate(escapedUnit(text, at))) return 6;
  const isPair =
    text.charCodeAt(at + 6) === BACKSLASH &&
    text.charCodeAt(at + 7) === LETTER_U &&
    isLowSurrogate(escapedUnit(text, at + 6));
  return isPair ? 12 : 6;
}

/** The bytes that compact JSON spends on what the escape stands for. */
function escapedSize(text: string, at: number, length: number): number {
  if (length === 12) return 4;
  if (length === 2) return text.charCodeAt(at + 1) === SLASH ? 1 : 2;
  const unit = escapedUnit(text, at);
  if (unit >= 0x800) return isHighSurrogate(unit) || isLowSurrogate(unit) ? 6 : 3;
  if (unit >= 0x80) return 2;
  if (unit < SPACE) return SHORT_ESCAPES.includes(String.fromCharCode(unit)) ? 2 : 6;
  return unit === QUOTE || unit === BACKSLASH ? 2 : 1;
}

/** The number written after a \u. */
function escapedUnit(text: string, at: number): number {
  return (
    (hexadecimalDigit(text.charCodeAt(at + 2)) << 12) |
    (hexadecimalDigit(text.charCodeAt(at + 3)) << 8) |
    (hexadecimalDigit(text.charCodeAt(at + 4)) << 4) |
    hexadecimalDigit(text.charCodeAt(at + 5))
  );
}

// The low four bits are 0 to 9 for the digits, and 1 to 6 for the letters of either case.
function hexadecimalDigit(code: number): number {
  return (code & 0xf) + (code > 0x39 ? 9 : 0);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
