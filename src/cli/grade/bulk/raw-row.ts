import { cut, type Violation, violation } from '../../../contract/index.ts';
import type { GradeFields } from '../../../validator/grades.ts';

/** One row as it stands in the file, or why it cannot be read. */
export type RawRow = { readonly line: number } & (
  | { readonly fields: GradeFields }
  | {
      readonly violations: readonly Violation[];
      /** Whose it is, where that can be read all the same. */
      readonly member?: unknown;
    }
);

/** A number of a grade as it stands in the file, and what would be sent in its place. */
export function lossy(field: string, text: string, read: number): Violation {
  return violation('grades.lossy_number', `/${field}`, { field, text: cut(text), read });
}

/** No row is longer; a quote that is never closed would take the rest of the file into memory. */
export const ROW_MAX_BYTES = 4 << 20;
