import { escapeToken, parsePointer } from './pointer.ts';

/**
 * Exact JSON. A row reads "exactly as last written", and the engine's own parser cannot keep that
 * promise: it turns 9007199254740993 into …992 and 1e400 into Infinity. Here a number keeps its
 * source text, an object keeps the order of its members, and nothing recurses, so that a deeply
 * nested row is no crash.
 */
export type Json = string | boolean | null | JsonNumber | Json[] | JsonObject;

/** A Map, since a plain object reorders keys that look like integers and treats __proto__ apart. */
export type JsonObject = Map<string, Json>;

/** A number as its source text: "1.10", "-0", "1e400". The text is trusted to be a JSON number. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Why a text is no JSON, and where. Line and column count from 1, the column in UTF-16 units. The
 * offset counts UTF-16 units too, except from `decodeUtf8`, where it counts bytes.
 */
export class JsonSyntaxError extends Error {
  readonly reason: string;
  readonly offset: number;
  readonly line: number;
  readonly column: number;

  constructor(reason: string, offset: number, position: Position) {
    super(`${reason} (line ${position.line}, column ${position.column})`);
    this.name = 'JsonSyntaxError';
    this.reason = reason;
    this.offset = offset;
    this.line = position.line;
    this.column = position.column;
  }
}

export interface Position {
  line: number;
  column: number;
}

export interface ParsedJson {
  readonly value: Json;
  /** Pointers of names that an object has more than once, each listed once for its object. */
  readonly duplicates: readonly string[];
}

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const SLASH = 0x2f;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const LETTER_U = 0x75;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Control characters that compact JSON writes with two characters. */
const SHORT_ESCAPES = '\b\t\n\f\r';
const SURROGATE = /[\ud800-\udfff]/;
const LONE_SURROGATE = /\p{Surrogate}/gu;
const ENCODER = new TextEncoder();
const SCRATCH = new Uint8Array(65_536);
const BYTE_ORDER_MARK = '\ufeff';
const ESCAPE = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/;
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

// ---------------------------------------------------------------- reading

/** A text, and how far it has been read. */
interface Cursor {
  readonly text: string;
  at: number;
}

/** A container that has been opened and not yet closed. */
interface Frame {
  readonly container: Json[] | JsonObject;
  readonly parent: Frame | undefined;
  /** The container's own token in its parent. */
  readonly token: string | number;
  /** The name whose value comes next, in an object. */
  name: string;
  isEmpty: boolean;
  /** Both made only when a name occurs again. */
  pointer: string | undefined;
  repeated: Set<string> | undefined;
}

/**
 * Reads a JSON text strictly (RFC 8259); throws JsonSyntaxError. Of a name that occurs again the
 * last value wins and the first place in the order is kept, as the engine's parser has it.
 */
export function parseJson(text: string): ParsedJson {
  const cursor: Cursor = { text, at: 0 };
  const duplicates: string[] = [];
  const root = readValue(cursor);
  let frame = isContainer(root) ? openFrame(root, undefined) : undefined;
  while (frame !== undefined) {
    frame = nextMember(cursor, frame);
    if (frame === undefined) break;
    const value = readValue(cursor);
    place(frame, value, duplicates);
    if (isContainer(value)) frame = openFrame(value, frame);
  }
  skipWhiteSpace(cursor);
  if (cursor.at < text.length) fail(cursor, whyNoEnd(cursor));
  return { value: root, duplicates };
}

function isContainer(value: Json): value is Json[] | JsonObject {
  return typeof value === 'object' && value !== null && !(value instanceof JsonNumber);
}

function openFrame(container: Json[] | JsonObject, parent: Frame | undefined): Frame {
  const token = parent === undefined ? '' : placeOfLast(parent);
  return {
    container,
    parent,
    token,
    name: '',
    isEmpty: true,
    pointer: undefined,
    repeated: undefined,
  };
}

function placeOfLast(frame: Frame): string | number {
  return Array.isArray(frame.container) ? frame.container.length - 1 : frame.name;
}

/** Moves to the next value, closing what ends before it; undefined once the root has ended. */
function nextMember(cursor: Cursor, from: Frame): Frame | undefined {
  let frame: Frame | undefined = from;
  while (frame !== undefined) {
    const isArray = Array.isArray(frame.container);
    const close = isArray ? CLOSE_BRACKET : CLOSE_BRACE;
    skipWhiteSpace(cursor);
    if (cursor.text.charCodeAt(cursor.at) !== close) {
      if (!frame.isEmpty) readComma(cursor, close);
      frame.isEmpty = false;
      if (!isArray) readName(cursor, frame);
      return frame;
    }
    cursor.at++;
    frame = frame.parent;
  }
  return undefined;
}

function readComma(cursor: Cursor, close: number): void {
  if (cursor.text.charCodeAt(cursor.at) !== COMMA) fail(cursor, whyNoComma(cursor, close));
  const comma = cursor.at++;
  skipWhiteSpace(cursor);
  if (cursor.text.charCodeAt(cursor.at) !== close) return;
  fail({ text: cursor.text, at: comma }, `a trailing comma before ${String.fromCharCode(close)}`);
}

function readName(cursor: Cursor, frame: Frame): void {
  skipWhiteSpace(cursor);
  if (cursor.text.charCodeAt(cursor.at) !== QUOTE) fail(cursor, whyNoName(cursor));
  frame.name = readString(cursor);
  skipWhiteSpace(cursor);
  if (cursor.text.charCodeAt(cursor.at) !== COLON) {
    fail(cursor, whyUnexpected(cursor, 'where a colon should follow the name'));
  }
  cursor.at++;
}

/** Reads a scalar, or only the opening bracket of a container. */
function readValue(cursor: Cursor): Json {
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

/** Puts a value where the frame expects it, and notes a name that was there before. */
function place(frame: Frame, value: Json, duplicates: string[]): void {
  const { container, name } = frame;
  if (Array.isArray(container)) {
    container.push(value);
    return;
  }
  const sizeBefore = container.size;
  container.set(name, value);
  if (container.size === sizeBefore) noteDuplicate(frame, duplicates);
}

function noteDuplicate(frame: Frame, duplicates: string[]): void {
  frame.repeated ??= new Set();
  if (frame.repeated.has(frame.name)) return;
  frame.repeated.add(frame.name);
  duplicates.push(`${framePointer(frame)}/${escapeToken(frame.name)}`);
}

/** A frame's pointer, kept once made, so that many duplicates deep down stay cheap. */
function framePointer(frame: Frame): string {
  const unknown: Frame[] = [];
  let known: Frame | undefined = frame;
  while (known !== undefined && known.pointer === undefined) {
    unknown.push(known);
    known = known.parent;
  }
  let pointer = known?.pointer ?? '';
  for (const each of unknown.reverse()) {
    if (each.parent !== undefined) pointer += '/' + escapeToken(String(each.token));
    each.pointer = pointer;
  }
  return pointer;
}

function skipWhiteSpace(cursor: Cursor): void {
  const { text } = cursor;
  let at = cursor.at;
  while (isWhiteSpace(text.charCodeAt(at))) at++;
  cursor.at = at;
}

function isWhiteSpace(code: number): boolean {
  return code === SPACE || code === LINE_FEED || code === CARRIAGE_RETURN || code === TAB;
}

function readString(cursor: Cursor): string {
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
  return fail(cursor, whyNoValue(cursor, word));
}

function isWordPart(code: number): boolean {
  if (code >= 0x30 && code <= 0x39) return true;
  if (code === 0x2b || code === 0x2d || code === 0x2e || code === 0x5f) return true;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

// ---------------------------------------------------------------- reasons, for people

function fail(cursor: Cursor, reason: string): never {
  const { text, at } = cursor;
  throw new JsonSyntaxError(reason, at, positionAt(text, at));
}

function positionAt(text: string, offset: number): Position {
  let line = 1;
  let lineStart = 0;
  for (const end of text.slice(0, offset).matchAll(/\r\n?|\n/g)) {
    line++;
    lineStart = end.index + end[0].length;
  }
  return { line, column: offset - lineStart + 1 };
}

function whyNoValue(cursor: Cursor, word: string): string {
  const { text, at } = cursor;
  if (word !== '') return whyNoWord(word);
  if (at === text.length) {
    return text.trim() === '' ? 'the text is empty' : 'the text ends where a value should stand';
  }
  const char = text[at] ?? '';
  if (char === ',' || char === ']' || char === '}') return `a value is missing before ${char}`;
  return whyUnexpected(cursor, 'where a value should stand');
}

function whyNoWord(word: string): string {
  const shown = word.length > 40 ? `${word.slice(0, 40)}…` : word;
  if (/^[+-]?(?:NaN|Infinity)$/i.test(word)) return `${shown} is no JSON number`;
  if (/^(?:true|false|null)$/i.test(word)) return `${shown} must be written in lower case`;
  if (/^(?:undefined|None|nil)$/.test(word)) return `${shown} is no JSON value: write null`;
  if (/^[A-Za-z_]/.test(word)) {
    return `${shown} is no JSON value: a string stands in double quotes`;
  }
  return whyNoNumber(word, shown);
}

function whyNoNumber(word: string, shown: string): string {
  if (/^[+-]?0[xob]/i.test(word)) return `${shown} is no JSON number: write it in decimal digits`;
  if (word.startsWith('+')) return 'a plus sign before a number';
  if (/^-?0[0-9]/.test(word)) return `a leading zero in the number ${shown}`;
  if (/^-?\./.test(word)) return 'a number without a digit before its decimal point';
  if (/\.(?![0-9])/.test(word)) return 'a number without a digit after its decimal point';
  if (/^-?[0-9.]+[eE][+-]?$/.test(word)) return 'a number whose exponent has no digits';
  return `${shown} is no JSON number`;
}

function whyNoName(cursor: Cursor): string {
  const { text, at } = cursor;
  if (at === text.length) return 'the text ends inside an object: } is missing';
  if (text[at] === ',') return 'a name is missing before ,';
  if (text[at] === ']') return 'a ] where the object should end with }';
  if (isWordPart(text.charCodeAt(at)) || text[at] === '$') return 'a name without double quotes';
  return whyUnexpected(cursor, 'where a name in double quotes should stand');
}

function whyNoComma(cursor: Cursor, close: number): string {
  const { text, at } = cursor;
  const isArray = close === CLOSE_BRACKET;
  const container = isArray ? 'array' : 'object';
  const end = String.fromCharCode(close);
  if (at === text.length) return `the text ends inside an ${container}: ${end} is missing`;
  const char = text[at] ?? '';
  if (char === ']' || char === '}')
    return `a ${char} where the ${container} should end with ${end}`;
  const code = text.charCodeAt(at);
  if (code === QUOTE || code === OPEN_BRACE || code === OPEN_BRACKET || isWordPart(code)) {
    return 'a comma is missing';
  }
  if (char === ':') return 'a colon where a comma should stand';
  return whyUnexpected(cursor, `where a comma or ${end} should stand`);
}

function whyNoEnd(cursor: Cursor): string {
  const char = cursor.text[cursor.at] ?? '';
  if (char === '{' || char === '[') return 'a second value after the end of the first';
  if (char === '}' || char === ']') return `one ${char} too many`;
  return whyUnexpected(cursor, 'after the end of the value');
}

/** What is wrong with a character anywhere outside a string. */
function whyUnexpected(cursor: Cursor, where: string): string {
  const { text, at } = cursor;
  if (at >= text.length) return `the text ends ${where}`;
  const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (char === BYTE_ORDER_MARK && at === 0) {
    return 'a byte order mark at the start: save the file as UTF-8 without BOM';
  }
  if (char === '#' || text.startsWith('//', at) || text.startsWith('/*', at)) {
    return 'a comment: JSON has none';
  }
  if (char === "'" || char === '`') return `a ${char} quote: JSON strings stand in double quotes`;
  if (/[\u2018-\u201f]/.test(char)) return 'a curly quote: JSON strings stand in straight ones (")';
  if (/\s/.test(char)) return `${describe(char)} is no JSON white space`;
  return `${describe(char)} ${where}`;
}

/** Shows a character; one that a terminal might act on, or that looks like another, by its number. */
function describe(char: string): string {
  if (/^[!-~]$/.test(char)) return char;
  return `the character U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Says what the first fault is of the string that starts at `start`. */
function failString(text: string, start: number): never {
  const at = faultOfString(text, start);
  return fail({ text, at }, whyNoString(text, at));
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

function whyNoString(text: string, at: number): string {
  if (at >= text.length) return 'the text ends inside a string: a closing " is missing';
  if (text.charCodeAt(at) === BACKSLASH) return whyNoEscape(text, at);
  const char = text[at] ?? '';
  if (char === '\n' || char === '\r') return 'a line break inside a string: write it as \\n';
  if (char === '\t') return 'a tab inside a string: write it as \\t';
  const escaped = char.charCodeAt(0).toString(16).padStart(4, '0');
  return `a control character inside a string: write it as \\u${escaped}`;
}

function whyNoEscape(text: string, at: number): string {
  const char = text[at + 1];
  if (char === undefined) return 'the text ends inside a string: a closing " is missing';
  if (char === 'u') return '\\u must be followed by four hexadecimal digits';
  return `a backslash before ${describe(char)} is no JSON escape: write a backslash itself as \\\\`;
}

/**
 * Decodes UTF-8 and refuses what is none, with the offset of the first bad byte. A byte order mark
 * is kept, so that `parseJson` refuses it: taking it away silently would change the bytes.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return failUtf8(bytes);
  }
}

/** Finds the first replacement character that the bytes themselves do not hold. */
function failUtf8(bytes: Uint8Array): never {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  let offset = 0;
  let from = 0;
  let mark = text.indexOf('\ufffd');
  while (mark !== -1) {
    offset += utf8Length(text.slice(from, mark));
    const isWritten =
      bytes[offset] === 0xef && bytes[offset + 1] === 0xbf && bytes[offset + 2] === 0xbd;
    if (!isWritten) break;
    from = mark;
    mark = text.indexOf('\ufffd', mark + 1);
  }
  throw new JsonSyntaxError(
    'bytes that are no UTF-8: save the file as UTF-8',
    offset,
    positionAt(text, mark),
  );
}

// ---------------------------------------------------------------- writing

/** A container that is being written, and what of it is still to come. */
interface Writing {
  readonly members: Iterator<Json | readonly [string, Json]>;
  readonly isArray: boolean;
  isEmpty: boolean;
}

/** Writes compact JSON, in which row sizes are measured ("Limits"); numbers as they were written. */
export function compactJson(value: Json): string {
  return write(value, '');
}

/** Writes indented JSON, laid out as `JSON.stringify(value, null, indent)` does. */
export function indentJson(value: Json, indent = 2): string {
  return write(value, ' '.repeat(indent));
}

function write(root: Json, indent: string): string {
  const open: Writing[] = [];
  let output = writeStart(root, open);
  let current = open.at(-1);
  while (current !== undefined) {
    const next = current.members.next();
    if (next.done === true) {
      open.pop();
      if (!current.isEmpty) output += lineBreak(indent, open.length);
      output += current.isArray ? ']' : '}';
    } else {
      output += (current.isEmpty ? '' : ',') + lineBreak(indent, open.length);
      current.isEmpty = false;
      output += writeMember(next.value, current, indent, open);
    }
    current = open.at(-1);
  }
  return output;
}

function lineBreak(indent: string, depth: number): string {
  return indent === '' ? '' : '\n' + indent.repeat(depth);
}

function writeMember(
  member: Json | readonly [string, Json],
  { isArray }: Writing,
  indent: string,
  open: Writing[],
): string {
  if (isArray) return writeStart(member as Json, open);
  const [name, value] = member as readonly [string, Json];
  return JSON.stringify(name) + (indent === '' ? ':' : ': ') + writeStart(value, open);
}

/** Writes a scalar, or the opening bracket of a container, which it puts on the stack. */
function writeStart(value: Json, open: Writing[]): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof JsonNumber) return value.text;
  if (value === null || typeof value === 'boolean') return String(value);
  const isArray = Array.isArray(value);
  const members = isArray ? value.values() : value.entries();
  open.push({ members, isArray, isEmpty: true });
  return isArray ? '[' : '{';
}

// ---------------------------------------------------------------- measuring

/**
 * The bytes of a valid text's compact form in UTF-8, which "Limits" bounds, without building it:
 * white space and needless escapes are taken off the text's own length. A name that occurs twice is
 * counted as often as it is written.
 */
export function compactSize(text: string): number {
  const plain = SURROGATE.test(text) ? text.replace(LONE_SURROGATE, escapeUnit) : text;
  return utf8Length(plain) - spaceOutsideStrings(plain) - needlessEscapeBytes(plain);
}

/** A surrogate without its other half has no UTF-8; compact JSON writes it as an escape. */
function escapeUnit(surrogate: string): string {
  return `\\u${surrogate.charCodeAt(0).toString(16)}`;
}

/** Encodes into the same scratch space again and again: ten times as fast as making the bytes. */
function utf8Length(text: string): number {
  let length = 0;
  let at = 0;
  while (at < text.length) {
    const { read, written } = ENCODER.encodeInto(text.slice(at), SCRATCH);
    length += written;
    at += read;
  }
  return length;
}

/** Counts white space between the tokens; leaps over strings, since most of a row is strings. */
function spaceOutsideStrings(text: string): number {
  let space = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(text, at);
    else if (code <= SPACE) space++;
  }
  return space;
}

/** The offset of the quote that ends the string begun at `open`; the text's length without one. */
function closingQuote(text: string, open: number): number {
  let close = text.indexOf('"', open + 1);
  while (close !== -1 && isEscaped(text, close)) close = text.indexOf('"', close + 1);
  return close === -1 ? text.length : close;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before--;
  return (at - before) % 2 === 0;
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

// ---------------------------------------------------------------- comparing

/** Whether two values are the same: numbers by their text, objects whatever the order of members. */
export function jsonEqual(a: Json, b: Json): boolean {
  const pending: (readonly [Json, Json])[] = [[a, b]];
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [left, right] = pair;
    if (left === right) continue;
    if (!pushMembers(left, right, pending) && !sameNumber(left, right)) return false;
  }
  return true;
}

function sameNumber(left: Json, right: Json): boolean {
  return left instanceof JsonNumber && right instanceof JsonNumber && left.text === right.text;
}

/** Lines up the members of two containers for comparison; false when they cannot be equal. */
function pushMembers(left: Json, right: Json, pending: (readonly [Json, Json])[]): boolean {
  if (Array.isArray(left) && Array.isArray(right) && left.length === right.length) {
    left.forEach((value, index) => pending.push([value, right[index] as Json]));
    return true;
  }
  if (!(left instanceof Map && right instanceof Map) || left.size !== right.size) return false;
  for (const [name, value] of left) {
    const other = right.get(name);
    if (other === undefined) return false;
    pending.push([value, other]);
  }
  return true;
}

/** Whether a number changes its value when JavaScript holds it: 2^53+1, 1e400, or too many digits. */
export function isLossyNumber(number: JsonNumber): boolean {
  const held = Number(number.text);
  return !Number.isFinite(held) || decimal(number.text) !== decimal(String(held));
}

/** A decimal text in one form for each value: significant digits and the power of ten below them. */
function decimal(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = whole + fraction;
  let start = 0;
  while (digits[start] === '0') start++;
  if (start === digits.length) return '0';
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  const power = Number(exponent) - fraction.length + digits.length - end;
  return `${text.startsWith('-') ? '-' : ''}${digits.slice(start, end)}e${power}`;
}

// ---------------------------------------------------------------- to and from plain values

type PlainContainer = unknown[] | Record<string, unknown>;

/** Turns plain values (literals, the engine's parse) into Json; TypeError for what JSON has not. */
export function fromNative(value: unknown): Json {
  const pending: { source: PlainContainer; target: Json[] | JsonObject | undefined }[] = [];
  const convert = (source: unknown): Json => {
    if (typeof source !== 'object' || source === null) return scalarFromNative(source);
    const target: Json[] | JsonObject = Array.isArray(source) ? [] : new Map();
    pending.push({ source: requirePlain(source), target });
    return target;
  };
  const root = convert(value);
  const ancestors = new Set<PlainContainer>();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { source, target } = next;
    if (target === undefined) {
      ancestors.delete(source); // all inside it has been converted
      continue;
    }
    if (ancestors.has(source)) throw new TypeError('a value that contains itself is no JSON');
    ancestors.add(source);
    pending.push({ source, target: undefined });
    fill(target, source, convert);
  }
  return root;
}

function fill(
  target: Json[] | JsonObject,
  source: PlainContainer,
  convert: (each: unknown) => Json,
): void {
  if (Array.isArray(target)) {
    // for-of, unlike forEach, also meets the holes of a sparse array, which are no JSON.
    for (const each of source as unknown[]) target.push(convert(each));
  } else {
    for (const [name, each] of Object.entries(source)) target.set(name, convert(each));
  }
}

function scalarFromNative(value: unknown): Json {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number' && Number.isFinite(value)) {
    return new JsonNumber(Object.is(value, -0) ? '-0' : String(value));
  }
  throw new TypeError(`JSON has no ${typeof value === 'number' ? String(value) : typeof value}`);
}

function requirePlain(value: object): PlainContainer {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Array.isArray(value) || prototype === Object.prototype || prototype === null) {
    return value as PlainContainer;
  }
  throw new TypeError('only plain objects and arrays are JSON');
}

/** Turns Json into plain values, as the engine's parser makes them: lossy for `isLossyNumber`. */
export function toNative(value: Json): unknown {
  const pending: { source: Json[] | JsonObject; target: PlainContainer }[] = [];
  const convert = (source: Json): unknown => {
    if (source instanceof JsonNumber) return Number(source.text);
    if (!isContainer(source)) return source;
    const target: PlainContainer = Array.isArray(source) ? [] : {};
    pending.push({ source, target });
    return target;
  };
  const root = convert(value);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { source, target } = next;
    for (const [name, each] of source.entries()) define(target, name, convert(each));
  }
  return root;
}

/** Sets a property; of __proto__ an assignment would change the prototype instead. */
function define(target: PlainContainer, name: string | number, value: unknown): void {
  if (name !== '__proto__') {
    (target as Record<string | number, unknown>)[name] = value;
    return;
  }
  Object.defineProperty(target, name, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

// ---------------------------------------------------------------- locating

/** A container on the way, while a text is searched for a pointer. */
interface Level {
  readonly isArray: boolean;
  /** Whether all tokens up to this container match. */
  readonly isOnPath: boolean;
  index: number;
  name: string;
  expectsName: boolean;
}

/**
 * Finds where in a valid text the value at a pointer starts; undefined when there is none. Of a
 * name that occurs again the last one counts, as in `parseJson`. One pass, whatever the depth.
 */
export function locate(text: string, pointer: string): Position | undefined {
  const tokens = parsePointer(pointer);
  if (tokens === undefined) return undefined;
  const offset = offsetOf(text, tokens);
  return offset === undefined ? undefined : positionAt(text, offset);
}

function offsetOf(text: string, tokens: readonly string[]): number | undefined {
  const cursor: Cursor = { text, at: 0 };
  const levels: Level[] = [];
  let found: number | undefined;
  for (skipWhiteSpace(cursor); cursor.at < text.length; skipWhiteSpace(cursor)) {
    const level = levels.at(-1);
    if (passPunctuation(cursor, levels)) continue;
    if (level?.expectsName === true) {
      level.name = readString(cursor);
      continue;
    }
    const isOnPath = level === undefined || leadsOn(level, tokens[levels.length - 1]);
    // A later member of the same name takes the place of all that was found before.
    if (isOnPath) found = levels.length === tokens.length ? cursor.at : undefined;
    passValueStart(cursor, levels, isOnPath);
  }
  return found;
}

function leadsOn(level: Level, token: string | undefined): boolean {
  if (!level.isOnPath) return false;
  return token === (level.isArray ? String(level.index) : level.name);
}

/** Passes a comma, a colon or a closing bracket; false when something else stands there. */
function passPunctuation(cursor: Cursor, levels: Level[]): boolean {
  const level = levels.at(-1);
  switch (cursor.text.charCodeAt(cursor.at)) {
    case COMMA:
      if (level !== undefined) {
        level.index++;
        level.expectsName = !level.isArray;
      }
      break;
    case COLON:
      if (level !== undefined) level.expectsName = false;
      break;
    case CLOSE_BRACE:
    case CLOSE_BRACKET:
      levels.pop();
      break;
    default:
      return false;
  }
  cursor.at++;
  return true;
}

/** Passes a scalar, or enters a container. */
function passValueStart(cursor: Cursor, levels: Level[], isOnPath: boolean): void {
  const value = readValue(cursor);
  if (!isContainer(value)) return;
  const isArray = Array.isArray(value);
  levels.push({ isArray, isOnPath, index: 0, name: '', expectsName: !isArray });
}
