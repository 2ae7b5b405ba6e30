import { isObject } from './is-object.ts';
import { ROW_SIZE } from './limits.ts';
import {
  compactSize,
  decodeUtf8,
  isUtf16,
  JsonDepthError,
  JsonSyntaxError,
  type ParsedJson,
  type ParsedObject,
  parseJson,
  parseNative,
} from '../json/index.ts';
import { checkLimit, violation, type Violation } from './violations.ts';
import { describeType, jsonTypeOf, UTF16_FAULT } from './words.ts';

/** The four row kinds, in the contract's order ("Storage rows"). */
export const ROW_KINDS = ['context', 'location', 'member', 'member_location'] as const;
export type RowKind = (typeof ROW_KINDS)[number];

/** The previous course's rows, in provision requests on a copied course. */
export const PARENT_ROWS = ['parent_context', 'parent_location'] as const;
export type ParentRow = (typeof PARENT_ROWS)[number];

export type RowName = RowKind | ParentRow;
export const ROW_NAMES: readonly RowName[] = [...ROW_KINDS, ...PARENT_ROWS];

/** The kind of row behind a claim's name: a parent row is the context or location row of another course. */
export function kindOf(row: RowName): RowKind {
  if (row === 'parent_context') return 'context';
  if (row === 'parent_location') return 'location';
  return row;
}

/** Whether the row is shared by the course ("States: storage row provisioning" holds for these). */
export function isShared(kind: RowKind): kind is 'context' | 'location' {
  return kind === 'context' || kind === 'location';
}

/** Checks the size of an object, in bytes of compact JSON, against the limit of its row kind. */
export function checkRowSize(kind: RowKind, size: number): Violation[] {
  const codes = ['row.too_large', 'row.maybe_too_large'] as const;
  return checkLimit(size, ROW_SIZE[kind], codes, { kind, size });
}

type OrViolation<Read> = Read | { violation: Violation };

/** Reads a body's bytes as UTF-8 text. A byte order mark stays, so that the parser refuses it. */
export function bodyText(bytes: Uint8Array): OrViolation<{ text: string }> {
  if (!isUtf16(bytes)) return orViolation(() => ({ text: decodeUtf8(bytes) }));
  const params = { reason: UTF16_FAULT, encoding: 'UTF-16', line: 1, column: 1 };
  return { violation: violation('body.syntax', '', params) };
}

/**
 * Reads a body as strict JSON in UTF-8, with exact numbers, or says why it cannot be read; `levels`
 * is `MAX_LEVELS` by default.
 */
export function readJson(body: string | Uint8Array, levels?: number): OrViolation<ParsedJson> {
  const read = textOf(body);
  return 'violation' in read ? read : orViolation(() => parseJson(read.text, levels));
}

/** Reads a body as a JSON object in UTF-8, with exact numbers, or says why it is not one. */
export function readObject(body: string | Uint8Array): OrViolation<ParsedObject> {
  const read = readJson(body);
  if ('violation' in read || isObjectRead(read)) return read;
  return { violation: violation('body.not_object', '', { found: describeType(read.value) }) };
}

export function isObjectRead(read: ParsedJson): read is ParsedObject {
  return read.value instanceof Map;
}

/**
 * Checks the raw JSON object of a row's PUT ("Storage rows"): strict JSON in UTF-8, an object, and
 * within the size of its kind. Returns all violations and the compact size in bytes (0 when it
 * could not be measured).
 */
export function checkRowBody(
  kind: RowKind,
  bytes: Uint8Array,
): { violations: Violation[]; size: number } {
  const read = readNativeObject(bytes);
  if ('violation' in read) return { violations: [read.violation], size: 0 };
  const size = compactSize(read.text);
  return { violations: checkRowSize(kind, size), size };
}

/** Reads a body as a JSON object by the engine's parser, the fastest, or says why it is not one. */
export function readNativeObject(
  body: string | Uint8Array,
): OrViolation<{ text: string; object: Readonly<Record<string, unknown>> }> {
  const read = textOf(body);
  if ('violation' in read) return read;
  const { text } = read;
  return orViolation(() => {
    const object = parseNative(text);
    if (isObject(object)) return { text, object };
    return { violation: violation('body.not_object', '', { found: jsonTypeOf(object) }) };
  });
}

/** Finds why a body is not a JSON object in UTF-8. */
export function checkObject(body: string | Uint8Array): Violation | undefined {
  const read = readNativeObject(body);
  return 'violation' in read ? read.violation : undefined;
}

function textOf(body: string | Uint8Array): OrViolation<{ text: string }> {
  return typeof body === 'string' ? { text: body } : bodyText(body);
}

/** Turns the error of a parser into a violation; any other error is passed on. */
function orViolation<Read>(read: () => Read): OrViolation<Read> {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const { reason, line, column } = error;
    const levels = error instanceof JsonDepthError ? { levels: error.levels } : {};
    return { violation: violation('body.syntax', '', { reason, line, column, ...levels }) };
  }
}
