import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  closingQuote,
  COLON,
  COMMA,
  type Cursor,
  isWordPart,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipWhiteSpace,
} from './characters.ts';

/** Deeper than this nothing is indented further: a row of brackets would be gigabytes of spaces. */
const MAX_INDENTED_LEVELS = 200;

/**
 * Reformats a valid JSON text as `JSON.stringify(value, null, indent)` would, but copies every token
 * as it is written: numbers, escapes and duplicate names are preserved. An indent of 0 gives the
 * compact form.
 */
export function reformat(text: string, indent = 2): string {
  return layOut(text, indent, (token) => token);
}

/** A valid text in compact form, but for its strings: only quotes are left of them. */
export function withoutStrings(text: string): string {
  return layOut(text, 0, (token) => (token.startsWith('"') ? '""' : token));
}

/**
 * The bytes of a valid text's compact form in UTF-8, which "Limits" bounds: without white space and
 * needless escapes. A name that occurs twice is counted as often as it is written.
 */
export function compactSize(text: string): number {
  return utf8Length(layOut(text, 0, withoutNeedlessEscapes));
}

export function utf8Length(text: string): number {
  return NOT_ASCII.test(text) ? new TextEncoder().encode(text).length : text.length;
}

const NOT_ASCII = /[^\0-\x7f]/;

/** A surrogate without its other half has no UTF-8: compact JSON writes it as an escape. */
const ESCAPED_OR_HALF = /\\|\p{Surrogate}/u;

function withoutNeedlessEscapes(token: string): string {
  return ESCAPED_OR_HALF.test(token) ? JSON.stringify(JSON.parse(token)) : token;
}

function layOut(text: string, indent: number, write: (token: string) => string): string {
  const cursor: Cursor = { text, at: 0 };
  const colon = indent === 0 ? ':' : ': ';
  const newLine = (depth: number): string =>
    indent === 0 ? '' : '\n' + ' '.repeat(indent * Math.min(depth, MAX_INDENTED_LEVELS));
  let output = '';
  let depth = 0;
  for (skipWhiteSpace(cursor); cursor.at < text.length; skipWhiteSpace(cursor)) {
    const token = nextToken(cursor);
    const code = token.charCodeAt(0);
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      output += token;
      if (closesNow(cursor)) output += nextToken(cursor);
      else output += newLine(++depth);
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) output += newLine(--depth) + token;
    else if (code === COMMA) output += token + newLine(depth);
    else output += code === COLON ? colon : write(token);
  }
  return output;
}

function closesNow(cursor: Cursor): boolean {
  skipWhiteSpace(cursor);
  const code = cursor.text.charCodeAt(cursor.at);
  return code === CLOSE_BRACE || code === CLOSE_BRACKET;
}

/** Takes the token at the cursor: a string, a word, or one character of punctuation. */
function nextToken(cursor: Cursor): string {
  const { text, at } = cursor;
  const code = text.charCodeAt(at);
  let end = at + 1;
  if (code === QUOTE) end = closingQuote(text, at) + 1;
  else if (isWordPart(code)) while (isWordPart(text.charCodeAt(end))) end++;
  cursor.at = end;
  return text.slice(at, end);
}
