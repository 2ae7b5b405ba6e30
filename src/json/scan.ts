import {
  BACKSLASH,
  closingQuote,
  isWordPart,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
} from './characters.ts';
import { type Cursor, skipWhiteSpace } from './cursor.ts';
import { fail, failString, missingValueReason } from './reasons.ts';
import { type Json, JsonNumber } from './value.ts';

const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/** Reads a scalar, or only the opening bracket of a container. */
export function readValue(cursor: Cursor): Json {
  skipWhiteSpace(cursor);
  switch (cursor.text.charCodeAt(cursor.at)) {
    case QUOTE:
      return readString(cursor);
    case OPEN_BRACE:
      cursor.at++;
      return new Map();
    case OPEN_BRACKET:
      cursor.at++;
      return [];
    default:
      return readWord(cursor);
  }
}

export function readString(cursor: Cursor): string {
  const { text } = cursor;
  const start = cursor.at + 1;
  let at = start;
  let code = text.charCodeAt(at);
  // NaN, past the end of the text, fails the comparison too.
  while (code !== QUOTE && code !== BACKSLASH && code >= SPACE) code = text.charCodeAt(++at);
  if (code !== QUOTE) return readEscapedString(cursor);
  cursor.at = at + 1;
  return text.slice(start, at);
}

/** A string with escapes, or a faulty one: the engine decodes it, and only a fault is looked into. */
function readEscapedString(cursor: Cursor): string {
  const { text, at } = cursor;
  const end = closingQuote(text, at) + 1;
  try {
    const value = JSON.parse(text.slice(at, end)) as string;
    cursor.at = end;
    return value;
  } catch {
    return failString(text, at);
  }
}

/** Reads a number or one of the three literals: a run of letters, digits, and signs. */
function readWord(cursor: Cursor): Json {
  const { text, at: start } = cursor;
  let end = start;
  while (isWordPart(text.charCodeAt(end))) end++;
  const word = text.slice(start, end);
  cursor.at = end;
  if (NUMBER.test(word)) return new JsonNumber(word);
  if (word === 'true') return true;
  if (word === 'false') return false;
  if (word === 'null') return null;
  cursor.at = start;
  return fail(cursor, missingValueReason(cursor, word));
}
