import type { GradeAttempt } from '../../contract/index.ts';

/**
 * Where a record speaks of another member or score than was sent: it cannot be taken back, so it is
 * said. `member` is undefined where nobody knew whose grade it is.
 */
export function surprisesOf(
  record: GradeAttempt,
  sent: { readonly member: string | undefined; readonly score: number },
): string[] {
  const { score, annotations } = record;
  const told = annotations?.member;
  return [
    ...(sent.member !== undefined && told !== undefined && told !== sent.member
      ? [`the record is for member ${told}, not ${sent.member}`]
      : []),
    ...(score !== undefined && score !== sent.score
      ? [`the record has the score ${score}, not ${sent.score}`]
      : []),
  ];
}
