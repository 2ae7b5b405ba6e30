import { truncate, type Violation, violation } from '../contract/index.ts';
import type { GradeFields } from '../validator/grades.ts';

/** One row as it stands in the file, or why it cannot be read. */
export type ParsedRecord = { readonly line: number } & (
  | { readonly fields: GradeFields }
  | {
      readonly violations: readonly Violation[];
      /** Whose it is, where that can be read all the same. */
      readonly member?: unknown;
    }
);

/** The record on a line that goes on for too long: nothing after it is read. */
export function tooLong(line: number): ParsedRecord {
  const params = { limit: MAX_RECORD_CHARACTERS, unit: 'characters' };
  return { line, violations: [violation('grades.too_long', '', params)] };
}

/** The record on a line that has too many cells or, in JSON, names. */
export function tooMany(line: number, unit: 'cells' | 'names'): ParsedRecord {
  return { line, violations: [violation('grades.too_long', '', { limit: MAX_CELLS, unit })] };
}

/** A number of a grade as it stands in the file, and what would be sent in its place. */
export function lossy(field: string, text: string, read: number): Violation {
  return violation('grades.lossy_number', `/${field}`, { field, text: truncate(text), read });
}

/**
 * No record is longer, in UTF-16 code units: a quote that is never closed would take the rest of the
 * file into memory.
 */
export const MAX_RECORD_CHARACTERS = 4 << 20;
/** No record has more cells or names, empty ones too: a score has six, a report some more. */
export const MAX_CELLS = 1_000;
