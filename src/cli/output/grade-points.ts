import { fractionOfPoints, type GradeBody } from '../../contract/index.ts';

/** A JavaScript number has at most 17 significant digits. */
const MOST_DIGITS = 17;

/** The points that a score was made from: the shortest number that results in exactly this score. */
export function pointsOf({ score, max_score = 1 }: GradeBody): number {
  const points = score * max_score;
  for (let digits = 1; digits < MOST_DIGITS; digits += 1) {
    const rounded = Number(points.toPrecision(digits));
    if (fractionOfPoints(rounded, max_score) === score) return rounded;
  }
  return points;
}
