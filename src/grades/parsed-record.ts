import { isLossyNumber, JsonNumber } from '../json/index.ts';
import { type Violation, truncate, violation } from '../contract/index.ts';
import type { GradeFields } from '../validator/grades.ts';

/** One record of the file, or why it cannot be read; or what is wrong with its header, or all of it. */
export type ParsedRecord = { readonly line: number } & (
  | { readonly fields: GradeFields }
  | {
      readonly violations: readonly Violation[];
      /** Its member, if that can be read. */
      readonly member?: unknown;
      /** The header, or the whole file. */
      readonly isNoRecord?: true;
    }
);

/** A record that is too long: nothing after it is read. */
export function tooLongRecord(line: number): ParsedRecord {
  const params = { limit: MAX_RECORD_CHARACTERS, unit: 'characters' };
  return { line, violations: [violation('grades.too_long', '', params)] };
}

/** A record with too many cells or, in JSON, names. */
export function tooManyCells(line: number, unit: 'cells' | 'names'): ParsedRecord {
  return { line, violations: [violation('grades.too_long', '', { limit: MAX_CELLS, unit })] };
}

/** A number of the file that would be sent with other digits. */
export function lossyNumber(field: string, text: string, read: number): Violation {
  return violation('grades.lossy_number', `/${field}`, { field, text: truncate(text), read });
}

/**
 * The longest record, in UTF-16 code units: an unclosed quote would read the rest of the file into
 * memory.
 */
export const MAX_RECORD_CHARACTERS = 4 << 20;
/** The most cells or names of a record, empty ones included: a grade has six, a report some more. */
export const MAX_CELLS = 1_000;

/** What is wrong with a member that is the name of a line with totals. */
export function totalLine(member: unknown): Violation | undefined {
  if (typeof member !== 'string' || !TOTALS.test(member)) return undefined;
  return violation('grades.total_line', '/member', { member });
}

/** What exports have in the place of a member in their last line. */
const TOTALS = /^(?:grand |sub)?totals?:?$|^(?:sum|average|mean|median):?$/i;

const DECIMAL = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** Reads a decimal number; undefined for other text, also for a number with a decimal comma. */
export function readDecimal(text: string): number | undefined {
  return DECIMAL.test(text) ? Number(text) : undefined;
}

/** Whether a number that `readDecimal` accepts has more digits than a JavaScript number holds. */
export function losesDigits(text: string): boolean {
  // Nearly all numbers: fifteen digits are always exact.
  if (text.length <= 15 && !/e/i.test(text)) return false;
  const json = text
    .replace(/^\+/, '')
    .replace(/^(-?)0*(?=\d)/, '$1')
    .replace(/^(-?)\./, '$10.')
    .replace(/\.(?=e|$)/i, '');
  return isLossyNumber(new JsonNumber(json));
}
