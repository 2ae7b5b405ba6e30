import { type Json, JsonNumber } from '../json/value.ts';

/** Whether a value's compact text is shorter than `limit` characters; looks no further than that. */
export function isShorter(value: Json, limit: number): boolean {
  return lengthLeft(value, limit) > 0;
}

/** What the text of a value leaves of `limit`, not counting escapes; 0 or less when it is used up. */
function lengthLeft(value: Json, limit: number): number {
  if (typeof value === 'string') return limit - value.length - 2;
  if (value instanceof JsonNumber) return limit - value.text.length;
  if (typeof value === 'boolean' || value === null) return limit - 4;
  // Brackets and commas, and for each name two quotes and a colon.
  let left = limit - 1 - (value instanceof Map ? 4 * value.size : value.length);
  if (value instanceof Map) {
    for (const name of value.keys()) {
      if (left <= 0) break;
      left = lengthLeft(value.get(name) as Json, left - name.length);
    }
  } else {
    for (let index = 0; index < value.length && left > 0; index++) {
      left = lengthLeft(value[index] as Json, left);
    }
  }
  return left;
}
