import { describeType, readJson, truncate, violation, type Violation } from '../contract/index.ts';
import {
  escapeToken,
  isLossyNumber,
  type Json,
  JsonNumber,
  type JsonObject,
  levelsOf,
  type ParsedJson,
} from '../json/index.ts';
import { type Finding, toFindings } from './finding.ts';

/** A payload: its bytes, or a text that is sent as UTF-8. */
export type Payload = string | Uint8Array;

/**
 * Reads a payload as strict JSON in UTF-8, or returns why it cannot be read ("Errors": malformed
 * body). A parsed payload is returned unchanged.
 */
export function readBody(
  payload: Payload | ParsedJson,
  levels?: number,
): ParsedJson | { violation: Violation } {
  return typeof payload === 'object' && 'value' in payload ? payload : readJson(payload, levels);
}

/** The findings in a JSON payload: what `check` finds, and what is odd in any payload. */
export function findingsIn(payload: Payload, check: (value: Json) => Violation[]): Finding[] {
  const body = readBody(payload);
  if ('violation' in body) return toFindings([body.violation]);
  return toFindings([...check(body.value), ...checkOddities(body)], body.text);
}

/** What `check` finds in an object; `form` is the required form of a payload that is not a row. */
export function checkObjectBy(
  check: (object: JsonObject) => Violation[],
  value: Json,
  form?: string,
): Violation[] {
  return value instanceof Map ? check(value) : [notAnObject(value, form)];
}

export function notAnObject(value: Json, form?: string): Violation {
  const found = describeType(value);
  return violation('body.not_object', '', form === undefined ? { found } : { found, form });
}

/** Deeper payloads fail in some parsers: Ruby's at 100 levels, others at 128, 512 or 1000. */
export const DEEP_LEVELS = 100;

/**
 * Problems of any JSON payload that are accepted but probably unintended: names that occur twice,
 * numbers that JavaScript cannot hold, and nesting that other parsers refuse.
 */
export function checkOddities({ value, duplicates }: ParsedJson): Violation[] {
  const levels = levelsOf(value);
  return [
    ...duplicates.map((pointer) => violation('body.duplicate_name', pointer)),
    ...lossyNumbers(value, '').map(({ pointer, text }) =>
      violation('body.lossy_number', pointer, {
        number: truncate(text),
        read: String(Number(text)),
      }),
    ),
    ...(levels > DEEP_LEVELS ? [violation('body.deep', '', { levels })] : []),
  ];
}

/** The numbers in a value that JavaScript cannot hold, in the order of the text. */
function lossyNumbers(value: Json, pointer: string, found: Lossy[] = []): Lossy[] {
  if (value instanceof JsonNumber && isLossyNumber(value))
    found.push({ pointer, text: value.text });
  if (value instanceof Map || Array.isArray(value)) {
    for (const [token, each] of value.entries()) {
      lossyNumbers(each, `${pointer}/${escapeToken(String(token))}`, found);
    }
  }
  return found;
}

interface Lossy {
  readonly pointer: string;
  readonly text: string;
}
