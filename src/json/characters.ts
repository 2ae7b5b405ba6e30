const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const SLASH = 0x2f;
export const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_BRACKET = 0x5d;
export const LETTER_U = 0x75;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

export function isWhiteSpace(code: number): boolean {
  return code === SPACE || code === LINE_FEED || code === CARRIAGE_RETURN || code === TAB;
}

export function isWordPart(code: number): boolean {
  if (code >= 0x30 && code <= 0x39) return true;
  if (code === 0x2b || code === 0x2d || code === 0x2e || code === 0x5f) return true;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

const SHORT_STRING = 48;

/** The offset of the quote that ends the string begun at `open`; the text's length without one. */
export function closingQuote(text: string, open: number): number {
  // Most strings are short: a loop is done before a search has begun.
  const near = open + SHORT_STRING;
  let at = open + 1;
  for (; at < near; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  let close = text.indexOf('"', at);
  while (close !== -1 && isEscaped(text, close)) close = text.indexOf('"', close + 1);
  return close === -1 ? text.length : close;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before--;
  return (at - before) % 2 === 0;
}
