import { type Violation, violation } from '../contract/index.ts';

/** What is wrong with a member that is the name of a line with totals. */
export function totalLine(member: unknown): Violation | undefined {
  if (typeof member !== 'string' || !TOTALS.test(member)) return undefined;
  return violation('grades.total_line', '/member', { member });
}

/** What exports have in the place of a member in their last line. */
const TOTALS = /^(?:grand |sub)?totals?:?$|^(?:sum|average|mean|median):?$/i;
