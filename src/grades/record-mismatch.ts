import { type GradeAttempt, numberAt, textAt } from '../contract/index.ts';

/**
 * Warnings about a record that has another member or score than was sent. `member` is undefined if it
 * was not known.
 */
export function mismatchesOf(
  record: GradeAttempt,
  sent: { readonly member: string | undefined; readonly score: number },
): string[] {
  const member = textAt(record, 'annotations', 'member');
  const score = numberAt(record, 'score');
  const found: string[] = [];
  if (sent.member !== undefined && member !== undefined && member !== sent.member)
    found.push(`the record is for member ${member}, not ${sent.member}`);
  if (score !== undefined && score !== sent.score)
    found.push(`the record has the score ${score}, not ${sent.score}`);
  return found;
}
