import { isLossyNumber, JsonNumber } from '../json/index.ts';
import { type Violation, truncate, violation } from '../contract/index.ts';
import type { GradeFields } from '../validator/grades.ts';
import { noGradeWord } from './exports.ts';

/**
 * One record of the file, or why it cannot be read; or what is wrong with its header, or all of it; or
 * a line that is no record.
 */
export type ParsedRecord = { readonly line: number } & (
  | {
      readonly fields: GradeFields;
      /** The cells of the columns that are not read, if there are any. */
      readonly others?: readonly string[];
    }
  | {
      /** What the line is, such as `Points Possible`. */
      readonly leftOut: string;
    }
  | {
      readonly violations: readonly Violation[];
      /** Its member, if that can be read. */
      readonly member?: unknown;
      /** The header, or the whole file. */
      readonly isNoRecord?: true;
    }
);

export type InvalidRecord = Extract<ParsedRecord, { readonly violations: readonly Violation[] }>;

/** A record that is too long: nothing after it is read. */
export function tooLongRecord(line: number): InvalidRecord {
  const params = { limit: MAX_RECORD_CHARACTERS, unit: 'characters' };
  return { line, violations: [violation('grades.too_long', '', params)] };
}

/** A record with too many cells or, in JSON, names. */
export function tooManyCells(line: number, unit: 'cells' | 'names'): InvalidRecord {
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

/** What a record has in the place of a grade; undefined if it has one. */
export function ungradedWord({ score, points, max_score: max }: GradeFields): string | undefined {
  const value = points ?? score;
  if (value === undefined) return 'empty';
  if (points !== undefined && max !== undefined && Number(value) === 0 && Number(max) === 0) {
    return '0 of 0 points';
  }
  return typeof value === 'string' ? noGradeWord(value) : undefined;
}

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
