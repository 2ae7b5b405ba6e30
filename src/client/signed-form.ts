import { originOf } from '../contract/index.ts';
import { decodeUtf8, type Json, JsonNumber, parseJson } from '../json/index.ts';

/**
 * The signed form that a declaration answers with ("Signed upload form"). The entries keep the
 * order and the characters they came with: "names and values are opaque".
 */
export interface SignedForm {
  readonly url: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/** Reads a form out of an answer's bytes; undefined where nothing could be posted with it. */
export function readSignedForm(bytes: Uint8Array): SignedForm | undefined {
  const answer = parsed(bytes);
  if (!(answer instanceof Map)) return undefined;
  const url = answer.get('url');
  const fields = answer.get('fields');
  if (typeof url !== 'string' || originOf(url) === undefined) return undefined;
  if (!(fields instanceof Map)) return undefined;
  const entries = [...fields].map(([name, value]) => [name, fieldText(value)] as const);
  const usable = entries.filter((entry): entry is readonly [string, string] => {
    return entry[1] !== undefined;
  });
  return usable.length === entries.length ? { url, fields: usable } : undefined;
}

function parsed(bytes: Uint8Array): Json | undefined {
  try {
    return parseJson(decodeUtf8(bytes)).value;
  } catch {
    return undefined;
  }
}

/** A form has texts only; a number goes out with the digits it came with. */
function fieldText(value: Json): string | undefined {
  if (typeof value === 'string') return value;
  return value instanceof JsonNumber ? value.text : undefined;
}
