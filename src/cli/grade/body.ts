import {
  checkGradeBody,
  fractionOfPoints,
  type GradeBody,
  isCertain,
} from '../../contract/index.ts';
import { toFinding } from '../../validator/finding.ts';
import { maskSecrets } from '../../contract/secrets.ts';
import { UsageError, InvalidError } from '../../errors.ts';
import { losesDigits, readDecimal } from '../../grades/parsed-record.ts';
import type { GradeOptions } from './flags.ts';

/** Makes the body of a submission from the flags and checks it; throws with all findings. */
export function gradeBody(flags: GradeOptions): GradeBody {
  const body = {
    ...scoreFields(flags),
    ...(flags.comment === undefined ? {} : { comment: flags.comment }),
    ...(flags.activityProgress === undefined ? {} : { activity_progress: flags.activityProgress }),
    ...(flags.gradingProgress === undefined ? {} : { grading_progress: flags.gradingProgress }),
  };
  const errors = checkGradeBody(body).filter(isCertain);
  if (errors.length > 0) {
    throw new InvalidError('the grade was not sent', {
      findings: errors.map((each) => toFinding(each)),
    });
  }
  return body as GradeBody;
}

function scoreFields(flags: GradeOptions): { score: number; max_score?: number } {
  const { score, points } = flags;
  if (score !== undefined && points !== undefined) {
    throw new UsageError('--score and --points cannot be used together', 'use one of them');
  }
  const given = flags.maxScore === undefined ? undefined : numberOf('--max-score', flags.maxScore);
  if (points !== undefined) return fromPoints(points, given);
  if (score === undefined) {
    throw new UsageError('no score given', 'use --score 0.85, --points 42.5/50, or --from FILE');
  }
  const withoutSign = score.trim().replace(/%$/, '');
  const fraction = numberOf('--score', withoutSign);
  const hasSign = withoutSign !== score.trim();
  if (fraction > 1 || (hasSign && fraction >= 0)) throw noFraction(fraction, hasSign, given);
  return given === undefined ? { score: fraction } : { score: fraction, max_score: given };
}

/** `42.5/50`: the fraction, and the points possible that the column is set to. */
function fromPoints(
  text: string,
  maxScore: number | undefined,
): { score: number; max_score: number } {
  const [reached = '', possible, ...more] = text.split('/');
  const outOf = possible === undefined ? maxScore : numberOf('--points', possible);
  const hint = `use --points ${maskSecrets(reached.trim())}/POINTS${POINTS_MEANING}`;
  if (outOf === undefined || more.length > 0) {
    throw new UsageError('--points needs a maximum', hint);
  }
  if (maxScore !== undefined && maxScore !== outOf) {
    throw new UsageError(
      `the maximum of --points (${outOf}) and --max-score (${maxScore}) differ`,
      'use one of them',
    );
  }
  if (!(outOf > 0 && Number.isFinite(outOf))) {
    throw new InvalidError(`--points ${maskSecrets(text)}: the maximum must be greater than 0`, {
      code: 'grade.max_score_range',
      hint,
    });
  }
  const points = numberOf('--points', reached);
  if (points > outOf) {
    throw new InvalidError(`--points ${maskSecrets(text)}: ${points} is more than ${outOf}`, {
      code: 'grade.score_range',
      hint: `the points are at most the maximum, such as --points ${outOf}/${outOf}`,
    });
  }
  return { score: fractionOfPoints(points, outOf), max_score: outOf };
}

const POINTS_MEANING = ' (POINTS: the points possible of the column)';

/** Fewer are points rather than percent. */
const LEAST_PERCENT = 50;

function noFraction(score: number, hasSign: boolean, maxScore = 'POINTS' as number | 'POINTS') {
  const fraction = Number((score / 100).toPrecision(15));
  const isPercent = score <= 100 && (hasSign || score >= LEAST_PERCENT);
  const asPercent = isPercent ? `${score} % is ${fraction}: use --score ${fraction}, or ` : 'use ';
  const meaning = maxScore === 'POINTS' ? POINTS_MEANING : '';
  const fault = score > 1 ? `${score} is more than 1; ` : '';
  return new InvalidError(`--score ${score}: ${fault}a score is a fraction from 0 to 1`, {
    code: 'grade.score_range',
    hint: `${asPercent}--points ${score}/${maxScore}${meaning}`,
  });
}

/** Reads the decimal number of a flag; the error names a decimal comma. */
export function numberOf(flag: string, text: string): number {
  const trimmed = text.trim();
  const value = readDecimal(trimmed);
  if (value !== undefined) {
    if (!losesDigits(trimmed)) return value;
    const isFinite = Number.isFinite(value);
    const fault = isFinite ? 'has more digits than a number can hold' : 'is larger than any number';
    throw new InvalidError(`${flag} ${trimmed} ${fault}`, {
      code: 'body.lossy_number',
      hint: isFinite
        ? `a different number would be published; the nearest is ${value}`
        : 'use a smaller number',
    });
  }
  const comma = /^[+-]?\d+,\d+$/.test(trimmed);
  throw new InvalidError(`${flag} ${JSON.stringify(maskSecrets(text))} is not a number`, {
    code: flag === '--max-score' ? 'grade.max_score_not_number' : 'grade.score_not_number',
    hint: comma
      ? `use a decimal point: ${trimmed.replace(',', '.')}`
      : `use a number such as ${flag === '--score' ? '0.85' : '42.5'}`,
  });
}
