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
  return [
    ...(sent.member !== undefined && member !== undefined && member !== sent.member
      ? [`the record is for member ${member}, not ${sent.member}`]
      : []),
    ...(score !== undefined && score !== sent.score
      ? [`the record has the score ${score}, not ${sent.score}`]
      : []),
  ];
}
