import { type GradeAttempt, numberAt, textAt } from '../contract/index.ts';

/**
 * Where a record speaks of another member or score than was sent: it cannot be taken back, so it is
 * said. `member` is undefined where nobody knew whose grade it is.
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
