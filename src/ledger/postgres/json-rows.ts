/** Half of a character beyond U+FFFF, in the way JSON.stringify escapes it; or a text that looks so. */
const HALF = /\\ud[89a-f]/;

/** Rows as a parameter for `jsonb_to_recordset`, which refuses half of a surrogate pair. */
export function jsonRows(rows: readonly object[]): string {
  const json = JSON.stringify(rows);
  return HALF.test(json) ? JSON.stringify(rows, wholeCharacters) : json;
}

/** UTF-8 has U+FFFD in its place. */
function wholeCharacters(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? Buffer.from(value).toString() : value;
}
