import { escapeToken } from './pointer.ts';
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, QUOTE } from './characters.ts';
import {
  fail,
  missingCommaReason,
  trailingTextReason,
  missingNameReason,
  unexpectedReason,
} from './reasons.ts';
import { type Cursor, skipWhiteSpace } from './cursor.ts';
import { readString, readValue } from './scan.ts';
import {
  type DuplicateKeys,
  isContainer,
  type Json,
  type JsonObject,
  type ParsedJson,
} from './value.ts';

/** A container that has been opened and not yet closed. */
interface Frame {
  readonly container: Json[] | JsonObject;
  readonly parent: Frame | undefined;
  /** The container's own token in its parent. */
  readonly token: string | number;
  readonly level: number;
  /** The name whose value comes next, in an object. */
  name: string;
  isEmpty: boolean;
  /** The offset of its opening bracket. */
  readonly start: number;
  /** Made only when a name occurs again. */
  pointer: string | undefined;
}

/** More than any storage row can have, since a level takes two bytes; each takes 200 bytes of memory. */
const MAX_LEVELS = 1_100_000;

/**
 * Reads a JSON text strictly (RFC 8259); throws JsonSyntaxError. Of a name that occurs again the
 * last value wins and the first place in the order is kept, as the engine's parser has it.
 */
export function parseJson(text: string): ParsedJson {
  const cursor: Cursor = { text, at: 0 };
  const found: Duplicates = { pointers: [], keys: new Map() };
  const root = readValue(cursor);
  let frame = isContainer(root) ? openFrame(root, undefined, cursor) : undefined;
  while (frame !== undefined) {
    frame = nextMember(cursor, frame);
    if (frame === undefined) break;
    const value = readValue(cursor);
    place(frame, value, found);
    if (isContainer(value)) frame = openFrame(value, frame, cursor);
    if (frame.level > MAX_LEVELS) fail(cursor, `more than ${MAX_LEVELS} levels`);
  }
  skipWhiteSpace(cursor);
  if (cursor.at < text.length) fail(cursor, trailingTextReason(cursor));
  return { text, value: root, duplicates: found.pointers, duplicateKeys: found.keys };
}

/** What is known of names that occur more than once. */
interface Duplicates {
  readonly pointers: string[];
  readonly keys: Map<JsonObject, DuplicateKeys>;
}

/** Enters a container whose bracket the cursor has just passed. */
function openFrame(
  container: Json[] | JsonObject,
  parent: Frame | undefined,
  { at }: Cursor,
): Frame {
  const token = parent === undefined ? '' : placeOfLast(parent);
  return {
    container,
    parent,
    token,
    level: parent === undefined ? 1 : parent.level + 1,
    name: '',
    isEmpty: true,
    start: at - 1,
    pointer: undefined,
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
  if (cursor.text.charCodeAt(cursor.at) !== COMMA) fail(cursor, missingCommaReason(cursor, close));
  const comma = cursor.at++;
  skipWhiteSpace(cursor);
  if (cursor.text.charCodeAt(cursor.at) !== close) return;
  fail({ text: cursor.text, at: comma }, `a trailing comma before ${String.fromCharCode(close)}`);
}

function readName(cursor: Cursor, frame: Frame): void {
  skipWhiteSpace(cursor);
  if (cursor.text.charCodeAt(cursor.at) !== QUOTE) fail(cursor, missingNameReason(cursor));
  frame.name = readString(cursor);
  skipWhiteSpace(cursor);
  if (cursor.text.charCodeAt(cursor.at) !== COLON) {
    fail(cursor, unexpectedReason(cursor, 'where a colon should follow the name'));
  }
  cursor.at++;
}

/** Puts a value where the frame expects it, and notes a name that was there before. */
function place(frame: Frame, value: Json, duplicates: Duplicates): void {
  const { container, name } = frame;
  if (Array.isArray(container)) {
    container.push(value);
    return;
  }
  const sizeBefore = container.size;
  container.set(name, value);
  if (container.size === sizeBefore) noteDuplicate(container, frame, duplicates);
}

function noteDuplicate(object: JsonObject, frame: Frame, { pointers, keys }: Duplicates): void {
  const known = keys.get(object) ?? { start: frame.start, names: new Set() };
  keys.set(object, known);
  if (known.names.has(frame.name)) return;
  known.names.add(frame.name);
  pointers.push(`${framePointer(frame)}/${escapeToken(frame.name)}`);
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
