import {
  checkGradeBody,
  checkMember,
  fractionOfPoints,
  truncate,
  type GradeBody,
  isCertain,
  jsonTypeOf,
  type Violation,
  violation,
} from '../contract/index.ts';

export const GRADE_COLUMNS = [
  'member',
  'score',
  'points',
  'max_score',
  'comment',
  'activity_progress',
  'grading_progress',
] as const;

export type GradeColumn = (typeof GRADE_COLUMNS)[number];

export const NUMBER_COLUMNS = ['score', 'points', 'max_score'] as const;

/**
 * The fields of a row: texts, numbers, or any value in a line of JSON. Empty fields are absent; a
 * text in a column of numbers is not a valid number.
 */
export type GradeFields = Readonly<Partial<Record<GradeColumn, unknown>>>;

/** A valid grade, and its member. */
export interface MemberGrade {
  readonly member: string;
  readonly body: GradeBody;
}

/**
 * Checks one row of a grade file: the member, and the body by the rules of the service. Points
 * become the fraction of `max_score`, which defaults to `maxScore`. Returns all violations.
 */
export function checkGradeFields(
  fields: GradeFields,
  maxScore?: number,
): MemberGrade | { readonly violations: readonly Violation[] } {
  const violations: Violation[] = [];
  checkMemberField(fields.member, violations);
  const body = numbersOf(fields, maxScore, violations);
  const { comment, activity_progress, grading_progress } = fields;
  if (comment !== undefined) body.comment = comment;
  if (activity_progress !== undefined) body.activity_progress = activity_progress;
  if (grading_progress !== undefined) body.grading_progress = grading_progress;
  for (const wrong of checkGradeBody(body)) {
    if (isCertain(wrong)) violations.push(wrong);
  }
  if (violations.length > 0) return { violations };
  return { member: fields.member as string, body: body as unknown as GradeBody };
}

function checkMemberField(member: unknown, found: Violation[]): void {
  if (member === undefined || member === '') {
    found.push(violation('grades.member_missing', '/member'));
  } else if (typeof member === 'string') {
    const refused = checkMember(member);
    if (refused) found.push({ ...refused, path: '/member' });
  } else {
    found.push(violation('grades.member_not_text', '/member', { found: jsonTypeOf(member) }));
  }
}

/** The numbers of the body. Wrong ones are replaced by valid ones, so that they are reported once. */
function numbersOf(
  fields: GradeFields,
  maxScore: number | undefined,
  found: Violation[],
): Record<string, unknown> {
  const score = readable('score', fields.score, 0, found);
  const own = readable('max_score', fields.max_score, undefined, found) ?? maxScore;
  const body: Record<string, unknown> = {};
  const fraction = fields.points === undefined ? score : fractionOf(fields, own, found);
  if (fraction !== undefined) body.score = fraction;
  if (own !== undefined) body.max_score = own;
  return body;
}

/** A text in place of a number is invalid. */
function readable(field: GradeColumn, value: unknown, standIn: unknown, found: Violation[]) {
  if (typeof value !== 'string') return value;
  found.push(violation('grades.not_number', `/${field}`, { field, text: truncate(value) }));
  return standIn;
}

/** Points as a fraction; 0 if they are wrong. */
function fractionOf(fields: GradeFields, outOf: unknown, found: Violation[]): number {
  const { points } = fields;
  if (typeof points !== 'number') {
    readable('points', typeof points === 'string' ? points : jsonTypeOf(points), 0, found);
  } else if (fields.score !== undefined) {
    found.push(violation('grades.score_and_points', '/points'));
  } else if (fields.max_score === undefined && outOf === undefined) {
    found.push(violation('grades.points_of_what', '/points'));
  } else if (typeof outOf === 'number' && outOf > 0) {
    const fraction = fractionOfPoints(points, outOf);
    if (fraction >= 0 && fraction <= 1) return fraction;
    found.push(violation('grades.points_range', '/points', { points, max: outOf }));
  }
  return 0;
}
