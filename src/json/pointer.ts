import type { Json } from './value.ts';

/**
 * JSON pointers (RFC 6901), in which a patch's paths are written ("Endpoints, Storage rows": paths
 * are relative to the object root).
 */

const BAD_ESCAPE = /~(?![01])/;
const ARRAY_INDEX = /^(?:0|[1-9][0-9]*)$/;

/** Says why a text is not a JSON pointer, or undefined when it is one. */
export function pointerRule(text: string): string | undefined {
  if (text === '' || (text.startsWith('/') && !BAD_ESCAPE.test(text))) return undefined;
  if (text.startsWith('#')) return 'it is written as a URL fragment; leave the # out';
  if (!text.startsWith('/')) return 'it must be empty or start with /';
  return 'a ~ must be followed by 0 or 1; write ~ itself as ~0';
}

/** Splits a pointer into its unescaped tokens; undefined when it is malformed. */
export function parsePointer(text: string): string[] | undefined {
  if (pointerRule(text) !== undefined) return undefined;
  if (text === '') return [];
  return text.slice(1).split('/').map(unescapeToken);
}

/** Writes tokens as a pointer; no tokens are the whole document. */
export function formatPointer(tokens: readonly string[]): string {
  return tokens.map((token) => '/' + escapeToken(token)).join('');
}

/** Escapes a name for use between the slashes of a pointer. */
export function escapeToken(token: string): string {
  if (!token.includes('~') && !token.includes('/')) return token;
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}

// ~1 before ~0: in the other order "~01", which means "~1", would become "/".
function unescapeToken(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Reads a token as an array index: digits without leading zeros, and never "-". */
export function arrayIndex(token: string): number | undefined {
  return ARRAY_INDEX.test(token) ? Number(token) : undefined;
}

/** The value that the tokens lead to, or undefined when there is none. */
export function valueAt(doc: Json, tokens: readonly string[]): Json | undefined {
  let value: Json | undefined = doc;
  for (const token of tokens) {
    if (value === undefined) return undefined;
    value = childAt(value, token);
  }
  return value;
}

/** The member or element that a single token names, or undefined when there is none. */
export function childAt(parent: Json, token: string): Json | undefined {
  if (parent instanceof Map) return parent.get(token);
  if (!Array.isArray(parent)) return undefined;
  const index = arrayIndex(token);
  return index === undefined ? undefined : parent[index];
}
