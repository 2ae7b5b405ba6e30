import { originOf } from '../contract/index.ts';
import { decodeUtf8, type Json, JsonNumber, parseJson } from '../json/index.ts';

/**
 * The signed form of a declaration ("Signed upload form"). The entries keep their order and
 * characters: "names and values are opaque".
 */
export interface SignedForm {
  readonly url: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/** Parses a form; undefined if it is not usable. */
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

/** Fields are texts; a number is sent with its exact digits. */
function fieldText(value: Json): string | undefined {
  if (typeof value === 'string') return value;
  return value instanceof JsonNumber ? value.text : undefined;
}
