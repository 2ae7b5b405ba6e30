import {
  BACKSLASH,
  CLOSE_BRACKET,
  type Cursor,
  isWordPart,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
} from './characters.ts';
import { JsonSyntaxError, type Position } from './value.ts';

const BYTE_ORDER_MARK = '\ufeff';
const ESCAPE = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/;

export function fail(cursor: Cursor, reason: string): never {
  const { text, at } = cursor;
  throw new JsonSyntaxError(reason, at, positionAt(text, at));
}

export function positionAt(text: string, offset: number): Position {
  return positionsAt(text, [offset]).get(offset) as Position;
}

/** The lines and columns of some offsets, in one pass over the text up to the last. */
export function positionsAt(text: string, offsets: readonly number[]): Map<number, Position> {
  const positions = new Map<number, Position>();
  const ascending = [...offsets].sort((a, b) => a - b);
  const ends = text.slice(0, ascending.at(-1) ?? 0).matchAll(/\r\n?|\n/g);
  let line = 1;
  let lineStart = 0;
  let next = ends.next();
  for (const offset of ascending) {
    for (; next.done !== true && next.value.index < offset; next = ends.next()) {
      line++;
      lineStart = next.value.index + next.value[0].length;
    }
    positions.set(offset, { line, column: offset - lineStart + 1 });
  }
  return positions;
}

export function missingValueReason(cursor: Cursor, word: string): string {
  const { text, at } = cursor;
  if (word !== '') return invalidWordReason(word);
  if (at === text.length) {
    return text.trim() === '' ? 'the text is empty' : 'the text ends where a value is expected';
  }
  const char = text[at] ?? '';
  if (char === ',' || char === ']' || char === '}') return `a value is missing before ${char}`;
  return unexpectedReason(cursor, 'where a value is expected');
}

function invalidWordReason(word: string): string {
  // A longer word may be a token.
  const shown = word.length > 12 ? `${word.slice(0, 12)}…` : word;
  if (/^[+-]?(?:NaN|Infinity)$/i.test(word)) return `${shown} is not a JSON number`;
  if (/^(?:true|false|null)$/i.test(word)) return `${shown} must be written in lower case`;
  if (/^(?:undefined|None|nil)$/.test(word)) return `${shown} is not a JSON value: use null`;
  if (/^[A-Za-z_]/.test(word)) {
    return `${shown} is not a JSON value: strings need double quotes`;
  }
  return invalidNumberReason(word, shown);
}

function invalidNumberReason(word: string, shown: string): string {
  if (/^[+-]?0[xob]/i.test(word)) return `${shown} is not a JSON number: use decimal digits`;
  if (word.startsWith('+')) return 'a plus sign before a number';
  if (/^-?0[0-9]/.test(word)) return `a leading zero in the number ${shown}`;
  if (/^-?\./.test(word)) return 'a number without a digit before its decimal point';
  if (/\.(?![0-9])/.test(word)) return 'a number without a digit after its decimal point';
  if (/^-?[0-9.]+[eE][+-]?$/.test(word)) return 'a number whose exponent has no digits';
  return `${shown} is not a JSON number`;
}

export function missingNameReason(cursor: Cursor): string {
  const { text, at } = cursor;
  if (at === text.length) return 'the text ends inside an object: } is missing';
  if (text[at] === ',') return 'a name is missing before ,';
  if (text[at] === ']') return 'a ] where } is expected';
  if (isWordPart(text.charCodeAt(at)) || text[at] === '$') return 'a name without double quotes';
  return unexpectedReason(cursor, 'where a name in double quotes is expected');
}

export function missingCommaReason(cursor: Cursor, close: number): string {
  const { text, at } = cursor;
  const isArray = close === CLOSE_BRACKET;
  const container = isArray ? 'array' : 'object';
  const end = String.fromCharCode(close);
  if (at === text.length) return `the text ends inside an ${container}: ${end} is missing`;
  const char = text[at] ?? '';
  if (char === ']' || char === '}') return `a ${char} where ${end} is expected`;
  const code = text.charCodeAt(at);
  if (code === QUOTE || code === OPEN_BRACE || code === OPEN_BRACKET || isWordPart(code)) {
    return 'a comma is missing';
  }
  if (char === ':') return 'a colon where a comma is expected';
  return unexpectedReason(cursor, `where a comma or ${end} is expected`);
}

export function trailingTextReason(cursor: Cursor): string {
  const char = cursor.text[cursor.at] ?? '';
  if (char === '{' || char === '[') return 'a second value after the end of the first';
  if (char === '}' || char === ']') return `an extra ${char}`;
  return unexpectedReason(cursor, 'after the end of the value');
}

/** What is wrong with a character anywhere outside a string. */
export function unexpectedReason(cursor: Cursor, where: string): string {
  const { text, at } = cursor;
  if (at >= text.length) return `the text ends ${where}`;
  const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (char === BYTE_ORDER_MARK && at === 0) {
    return 'a byte order mark at the start: save the file as UTF-8 without BOM';
  }
  if (char === '#' || text.startsWith('//', at) || text.startsWith('/*', at)) {
    return 'a comment, which JSON does not allow';
  }
  if (char === "'" || char === '`') return `a ${char} quote: JSON strings need double quotes`;
  if (/[\u2018-\u201f]/.test(char)) return 'a curly quote: JSON strings need straight quotes (")';
  if (/\s/.test(char)) return `${describe(char)} is not JSON white space`;
  return `${describe(char)} ${where}`;
}

/** Shows a character; one that a terminal might act on, or that looks like another, by its number. */
function describe(char: string): string {
  if (/^[!-~]$/.test(char)) return char;
  return `the character U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Throws for the first fault of the string that starts at `start`. */
export function failString(text: string, start: number): never {
  const at = faultOfString(text, start);
  return fail({ text, at }, invalidStringReason(text, at));
}

function faultOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) >= SPACE) {
    if (text.charCodeAt(at) !== BACKSLASH) at++;
    else if (ESCAPE.test(text.slice(at, at + 6))) at += 2;
    else break;
  }
  return at;
}

function invalidStringReason(text: string, at: number): string {
  if (at >= text.length) return 'the text ends inside a string: a closing " is missing';
  if (text.charCodeAt(at) === BACKSLASH) return invalidEscapeReason(text, at);
  const char = text[at] ?? '';
  if (char === '\n' || char === '\r') return 'a line break inside a string: write it as \\n';
  if (char === '\t') return 'a tab inside a string: write it as \\t';
  const escaped = char.charCodeAt(0).toString(16).padStart(4, '0');
  return `a control character inside a string: write it as \\u${escaped}`;
}

function invalidEscapeReason(text: string, at: number): string {
  const char = text[at + 1];
  if (char === undefined) return 'the text ends inside a string: a closing " is missing';
  if (char === 'u') return '\\u must be followed by four hexadecimal digits';
  return `a backslash before ${describe(char)} is not a JSON escape: write a backslash as \\\\`;
}
