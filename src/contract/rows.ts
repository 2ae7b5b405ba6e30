import { ROW_SIZE, type SizeLimit } from './limits.ts';
import {
  compactSize,
  decodeUtf8,
  isUtf16,
  JsonDepthError,
  JsonSyntaxError,
  MAX_LEVELS,
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

/** The size limit of a row's object as compact JSON ("Limits"). */
export function rowLimit(kind: RowKind): SizeLimit {
  return ROW_SIZE[kind];
}

/** Checks the size of an object, in bytes of compact JSON, against the limit of its row kind. */
export function checkRowSize(kind: RowKind, size: number): Violation[] {
  const codes = ['row.too_large', 'row.maybe_too_large'] as const;
  return checkLimit(size, rowLimit(kind), codes, { kind, size });
}

/** A body as text, or why it is not text. */
export type BodyText = { text: string } | { violation: Violation };

/** Reads a body's bytes as UTF-8 text. A byte order mark stays, so that the parser refuses it. */
export function bodyText(bytes: Uint8Array): BodyText {
  if (isUtf16(bytes)) {
    const params = { reason: UTF16_FAULT, encoding: 'UTF-16', line: 1, column: 1 };
    return { violation: violation('body.syntax', '', params) };
  }
  try {
    return { text: decodeUtf8(bytes) };
  } catch (error) {
    return { violation: syntaxViolation(error) };
  }
}

/** Reads a body as strict JSON in UTF-8, with exact numbers, or says why it cannot be read. */
export function readJson(
  body: string | Uint8Array,
  levels?: number,
): ParsedJson | { violation: Violation } {
  const read = typeof body === 'string' ? { text: body } : bodyText(body);
  if ('violation' in read) return read;
  try {
    return parseJson(read.text, levels);
  } catch (error) {
    return { violation: syntaxViolation(error) };
  }
}

/** Reads a body as a JSON object in UTF-8, with exact numbers, or says why it is not one. */
export function readObject(body: string | Uint8Array): ParsedObject | { violation: Violation } {
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
  const read = bodyText(bytes);
  if ('violation' in read) return { violations: [read.violation], size: 0 };
  const wrong = checkObjectText(read.text);
  if (wrong) return { violations: [wrong], size: 0 };
  const size = compactSize(read.text);
  return { violations: checkRowSize(kind, size), size };
}

/** Finds why a body is not a JSON object in UTF-8. */
export function checkObject(bytes: Uint8Array): Violation | undefined {
  const read = bodyText(bytes);
  return 'violation' in read ? read.violation : checkObjectText(read.text);
}

export function checkObjectText(text: string): Violation | undefined {
  const read = readNativeObject(text);
  return 'violation' in read ? read.violation : undefined;
}

/** Reads a text as a JSON object by the engine's parser, the fastest, or says why it is not one. */
export function readNativeObject(
  text: string,
): { object: Record<string, unknown> } | { violation: Violation } {
  let value: unknown;
  try {
    value = parseNative(text);
  } catch (error) {
    return { violation: syntaxViolation(error) };
  }
  const type = jsonTypeOf(value);
  if (type === 'an object') return { object: value as Record<string, unknown> };
  return { violation: violation('body.not_object', '', { found: type }) };
}

/** Turns the error of the exact parser into a violation; any other error is passed on. */
function syntaxViolation(error: unknown): Violation {
  if (!(error instanceof JsonSyntaxError)) throw error;
  const { reason, line, column } = error;
  const levels = error instanceof JsonDepthError ? { levels: MAX_LEVELS } : {};
  return violation('body.syntax', '', { reason, line, column, ...levels });
}
