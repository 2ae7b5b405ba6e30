export const LINE_FEED = 0x0a;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

/** A text, and how far it has been read: an offset in UTF-16 units. */
export interface Cursor {
  readonly text: string;
  at: number;
}

/** Moves the cursor to the next character that is not JSON white space, or to the end of the text. */
export function skipWhiteSpace(cursor: Cursor): void {
  while (isWhiteSpace(cursor.text.charCodeAt(cursor.at))) cursor.at++;
}

function isWhiteSpace(code: number): boolean {
  return code === SPACE || code === LINE_FEED || code === 0x0d || code === 0x09;
}

/** Whether a character can be part of a number or a literal: letters, digits and signs. */
export function isWordPart(code: number): boolean {
  if (code >= 0x30 && code <= 0x39) return true;
  if (code === 0x2b || code === 0x2d || code === 0x2e || code === 0x5f) return true;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** The offset of the quote that ends the string begun at `open`; the text's length without one. */
export function closingQuote(text: string, open: number): number {
  let close = text.indexOf('"', open + 1);
  while (close !== -1 && isEscaped(text, close)) close = text.indexOf('"', close + 1);
  return close === -1 ? text.length : close;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before--;
  return (at - before) % 2 === 0;
}
