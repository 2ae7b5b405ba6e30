import { isFraction, JsonNumber, type JsonObject, toNative } from '../json/index.ts';
import { escapeToken } from '../json/pointer.ts';
import { GRADE_FIELDS } from './codes/grades.ts';
import { isObject } from './is-object.ts';
import { violation, type Violation } from './violations.ts';
import { jsonTypeOf, truncate } from './words.ts';

export const ACTIVITY_PROGRESS = ['Completed', 'Submitted'] as const;
export const GRADING_PROGRESS = ['FullyGraded', 'Pending'] as const;
export type ActivityProgress = (typeof ACTIVITY_PROGRESS)[number];
export type GradingProgress = (typeof GRADING_PROGRESS)[number];

/** The body of a grade submission ("Request body"): `score` is a fraction from 0.0 to 1.0. */
export interface GradeBody {
  readonly score: number;
  readonly max_score?: number;
  readonly comment?: string;
  readonly activity_progress?: ActivityProgress;
  readonly grading_progress?: GradingProgress;
}

/** A body with the service's defaults ("Request body"); null counts as left out. */
export function withGradeDefaults({
  score,
  max_score,
  comment,
  activity_progress,
  grading_progress,
}: GradeBody) {
  return {
    score,
    max_score: max_score ?? null,
    comment: comment ?? '',
    activity_progress: activity_progress ?? ACTIVITY_PROGRESS[0],
    grading_progress: grading_progress ?? GRADING_PROGRESS[0],
  } as const;
}

/** The record of one attempt ("Grade attempt"), in the response to the POST. */
export interface GradeAttempt {
  readonly id: string;
  readonly status: 'success' | 'failed';
  readonly score: number;
  readonly max_score: number | null;
  readonly activity_progress: ActivityProgress;
  readonly grading_progress: GradingProgress;
  readonly submitted: string;
  readonly lineitem: string;
  readonly data: {
    readonly comment: string;
    readonly response: { readonly status: number; readonly body: unknown } | null;
    readonly error: string;
    readonly source_type: 'launch_token' | 'session' | 'api_key';
    readonly source_id: string;
  };
  readonly annotations: {
    readonly member: string;
    readonly location: string;
    readonly app: string;
    readonly context: string;
  };
}

/**
 * Checks a grade body, already parsed and known to be an object ("Request body" and the 422 rows of
 * "Errors, Grade submission"). Returns all violations, in the order of the fields. A `JsonNumber` as
 * the score is judged by its digits.
 */
export function checkGradeBody(body: Readonly<Record<string, unknown>>): Violation[] {
  // Called for each of a million rows: valid fields allocate nothing.
  const violations: Violation[] = [];
  const add = (wrong: Violation | undefined): void => void (wrong && violations.push(wrong));
  add(checkScore(body.score));
  add(checkMaxScore(body.max_score));
  add(checkComment(body.comment));
  add(checkWord(body.activity_progress, 'activity_progress', ACTIVITY_PROGRESS));
  add(checkWord(body.grading_progress, 'grading_progress', GRADING_PROGRESS));
  for (const field of Object.keys(body)) {
    if (!GRADE_FIELDS.includes(field)) violations.push(otherField(field));
  }
  return violations;
}

/** The same for a parsed body; the exact digits decide whether its score is out of range. */
export function checkGradeObject(body: JsonObject): Violation[] {
  const score = body.get('score');
  const native = toNative(body) as Record<string, unknown>;
  return checkGradeBody(score instanceof JsonNumber ? { ...native, score } : native);
}

function checkScore(score: unknown): Violation | undefined {
  if (score === undefined) return violation('grade.score_missing', '/score');
  if (score instanceof JsonNumber) {
    if (isFraction(score)) return undefined;
    return violation('grade.score_range', '/score', { value: truncate(score.text) });
  }
  if (typeof score !== 'number') {
    return violation('grade.score_not_number', '/score', { found: jsonTypeOf(score) });
  }
  // Also false for NaN, which a caller of the library may pass.
  if (score >= 0 && score <= 1) return undefined;
  return violation('grade.score_range', '/score', { value: String(score) });
}

function checkMaxScore(maxScore: unknown): Violation | undefined {
  if (maxScore === undefined) return undefined;
  if (maxScore === null) return violation('grade.null_field', '/max_score', { field: 'max_score' });
  // 1e400 is read as Infinity, and a caller of the library may pass NaN: neither is a JSON number,
  // so "zero or negative" would be wrong.
  if (typeof maxScore !== 'number' || Number.isNaN(maxScore) || maxScore === Infinity) {
    const shown = typeof maxScore === 'number' ? String(maxScore) : jsonTypeOf(maxScore);
    return violation('grade.max_score_not_number', '/max_score', { found: shown });
  }
  if (maxScore > 0) return undefined;
  return violation('grade.max_score_range', '/max_score', { value: String(maxScore) });
}

function checkComment(comment: unknown): Violation | undefined {
  if (comment === undefined || typeof comment === 'string') return undefined;
  if (comment === null) return violation('grade.null_field', '/comment', { field: 'comment' });
  return violation('grade.comment_not_string', '/comment', { found: jsonTypeOf(comment) });
}

function checkWord(
  value: unknown,
  field: 'activity_progress' | 'grading_progress',
  words: readonly string[],
): Violation | undefined {
  if (value === undefined || (typeof value === 'string' && words.includes(value))) return undefined;
  if (value === null) return violation('grade.null_field', `/${field}`, { field });
  return violation(`grade.${field}`, `/${field}`);
}

function otherField(field: string): Violation {
  if (field === 'launch_id') return violation('grade.launch_id', '/launch_id');
  return violation('grade.unknown_field', `/${escapeToken(field)}`, { field: truncate(field) });
}

/**
 * Checks for an attempt in a 200 response. Only an id and a known status are required, so that a
 * record with more or fewer fields is still a record.
 */
export function isGradeAttempt(value: unknown): value is GradeAttempt {
  if (!isObject(value)) return false;
  const { id, status } = value;
  return typeof id === 'string' && id !== '' && (status === 'success' || status === 'failed');
}

/**
 * Points as a fraction of the points possible: the number nearest to the exact quotient of their
 * decimals. Dividing 0.1 by 0.3 as they are would give 0.33333333333333337.
 */
export function fractionOfPoints(points: number, possible: number): number {
  if (Number.isInteger(points) && Number.isInteger(possible)) return points / possible;
  const places = Math.max(decimalsOf(points), decimalsOf(possible));
  const [one, other] = [scaled(points, places), scaled(possible, places)];
  // Dividing two exact whole numbers gives the nearest number.
  const isExact = Number.isSafeInteger(one) && Number.isSafeInteger(other);
  return isExact ? one / other : points / possible;
}

function decimalsOf(value: number): number {
  return /\.(\d+)$/.exec(String(value))?.[1]?.length ?? 0;
}

/** The value times a power of ten, by its digits; NaN if it is written with an exponent. */
function scaled(value: number, places: number): number {
  const [whole = '', decimals = ''] = String(value).split('.');
  return Number(/e/.test(whole + decimals) ? 'NaN' : whole + decimals.padEnd(places, '0'));
}

/** A JavaScript number has at most 17 significant digits. */
const MOST_DIGITS = 17;

/** The points that a score was made from: the shortest number that results in exactly this score. */
export function pointsOf({ score, max_score = 1 }: Pick<GradeBody, 'score' | 'max_score'>): number {
  const points = score * max_score;
  for (let digits = 1; digits < MOST_DIGITS; digits += 1) {
    const rounded = Number(points.toPrecision(digits));
    if (fractionOfPoints(rounded, max_score) === score) return rounded;
  }
  return points;
}

/** A score in points, such as `17 of 20`; the fraction where the points possible are not known. */
export function scoreText(score: number, max: number | null | undefined): string {
  if (max === null || max === undefined) return String(score);
  return `${pointsOf({ score, max_score: max })} of ${max}`;
}
