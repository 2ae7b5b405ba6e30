import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  isWhiteSpace,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
} from './characters.ts';

/** A value's place in a valid text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A member of an object: its name as it is written, quotes included, and its value. */
export interface Member extends Span {
  readonly name: string;
}

function isContainerStart(code: number): boolean {
  return code === OPEN_BRACE || code === OPEN_BRACKET;
}

function skipSpace(text: string, at: number): number {
  let next = at;
  while (isWhiteSpace(text.charCodeAt(next))) next++;
  return next;
}

/** Where the value that starts at `at` ends; -1 when that is more than `limit` characters away. */
export function valueEnd(text: string, at: number, limit = text.length): number {
  const code = text.charCodeAt(at);
  if (code === QUOTE) return stringEnd(text, at);
  if (isContainerStart(code)) return containerEnd(text, at, limit);
  return wordEnd(text, at);
}

function wordEnd(text: string, start: number): number {
  let at = start + 1;
  for (let code = text.charCodeAt(at); code > SPACE; code = text.charCodeAt(++at)) {
    if (code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET) break;
  }
  return at;
}

/** One loop, strings included: nearly all the time of a comparison is spent here. */
function containerEnd(text: string, start: number, limit: number): number {
  const last = Math.min(text.length, start + limit);
  let depth = 0;
  for (let at = start; at < last; at++) {
    let code = text.charCodeAt(at);
    if (code === QUOTE) {
      while ((code = text.charCodeAt(++at)) !== QUOTE) if (code === BACKSLASH) at++;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if ((code === CLOSE_BRACE || code === CLOSE_BRACKET) && --depth === 0) return at + 1;
  }
  return -1;
}

/** Where the string that starts at `start` ends; a loop, since most strings are short. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  for (let code = text.charCodeAt(at); code !== QUOTE; code = text.charCodeAt(++at)) {
    if (code === BACKSLASH) at++;
  }
  return at + 1;
}

/** From the end of a value to the start of the next member or to the closing bracket. */
function afterValue(text: string, end: number): number {
  const at = skipSpace(text, end);
  return text.charCodeAt(at) === COMMA ? skipSpace(text, at + 1) : at;
}

/** From the end of a member's name to the start of its value. */
function afterName(text: string, end: number): number {
  return skipSpace(text, skipSpace(text, end) + 1);
}

/** The members of the object that a text is, a name that occurs twice with each of its values. */
export function membersOf(text: string): Member[] {
  return membersFrom(text, skipSpace(text, skipSpace(text, 0) + 1)).members;
}

/** The members of an object from the one whose name starts at `at`, and where the object ends. */
function membersFrom(text: string, at: number): { members: Member[]; end: number } {
  const members: Member[] = [];
  let next = at;
  while (text.charCodeAt(next) !== CLOSE_BRACE) {
    const nameEnd = stringEnd(text, next);
    const start = afterName(text, nameEnd);
    const end = valueEnd(text, start);
    members.push({ name: text.slice(next, nameEnd), start, end });
    next = afterValue(text, end);
  }
  return { members, end: next + 1 };
}

/** What a name, as it is written, says. */
export function readName(written: string): string {
  return written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1);
}
