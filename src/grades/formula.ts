/** What a spreadsheet would run as a formula (OWASP, "CSV injection"), whatever marks stand before it. */
const FORMULA = /^'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;

/** Puts a mark before a text that a spreadsheet would run, or that begins as if it had one already. */
export function guarded(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** The opposite of `guarded`: takes that one mark off again. */
export function unguarded(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;
}
