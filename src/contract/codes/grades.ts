import { certain, type CodeRow, possible, wrong } from './row.ts';

const GRADE_RULE = 'Endpoints, Grade submission: request body';
const GRADE_URL_RULE = 'Endpoints, Grade submission: the member segment';

/** What can be wrong with a grade submission and its address. */
export const GRADE_CODES = {
  // Grades
  'grade.score_missing': certain(
    () => 'score is required',
    GRADE_RULE,
    () => 'send a fraction from 0.0 to 1.0, such as 0.85',
  ),
  'grade.score_not_number': certain(
    (p) => `score must be a number, not ${p.found}`,
    GRADE_RULE,
    () => 'send a JSON number: 0.85, not "0.85"',
  ),
  'grade.score_range': certain(
    () => 'score must be between 0 and 1',
    GRADE_RULE,
    ({ value }) =>
      `${value === undefined ? '' : `${value} is outside; `}42.5 of 50 points is the fraction 0.85`,
  ),
  'grade.max_score_not_number': certain(
    (p) => `max_score must be a number, not ${p.found}`,
    GRADE_RULE,
    () => 'send a JSON number greater than 0, or leave it out',
  ),
  'grade.max_score_range': certain(
    () => 'max_score must be greater than 0',
    GRADE_RULE,
    () => 'leave it out to keep the points of the column as they are',
  ),
  'grade.comment_not_string': certain(
    (p) => `comment must be a string, not ${p.found}`,
    GRADE_RULE,
    () => 'send text, or leave it out',
  ),
  'grade.activity_progress': certain(
    () => 'activity_progress must be one of [Completed, Submitted]',
    GRADE_RULE,
    () => 'the words are Completed and Submitted, spelled just so',
  ),
  'grade.grading_progress': certain(
    () => 'grading_progress must be one of [FullyGraded, Pending]',
    GRADE_RULE,
    () => 'the words are FullyGraded and Pending, spelled just so',
  ),
  'grade.not_assessment': certain(
    () => 'grade passback is only allowed for assessment locations',
    'Errors, Grade submission',
    () => 'this location has no gradebook column to post to',
  ),
  'grade.null_field': possible(
    (p) => `${p.field} is null`,
    GRADE_RULE,
    () => 'leave the field out: the contract gives no meaning to null',
  ),
  'grade.unknown_field': possible(
    (p) => `${p.field} is no field of a grade submission`,
    GRADE_RULE,
    () => 'score, max_score, comment, activity_progress and grading_progress are',
  ),
  'grade.launch_id': possible(
    () => 'launch_id belonged to the endpoint that was removed on 2026-09-21',
    'Removed endpoints',
    () => 'leave it out: the URL says everything',
  ),

  // Grade addresses: refused before anything is sent, so the service has no status for them
  'grade_url.null': wrong(
    () => 'this launch has no gradebook column to post to: grade.submit is null',
    'Endpoints, Grade submission: rule 5',
    () => 'launch from an assessment location that is deep-linked in the course',
  ),
  'grade_url.member_invalid': wrong(
    (p) => `${JSON.stringify(p.member)} cannot be a member segment`,
    GRADE_URL_RULE,
    () => 'give the user.member of a launch, or the member of an earlier attempt',
  ),
  'grade_url.not_contexts': wrong(
    () => 'the member of this grade address cannot be changed: it is not under /contexts/',
    GRADE_URL_RULE,
    () => 'use a launch whose grade.submit is under /contexts/, such as a staff launch',
  ),
  'grade_url.member_absent': wrong(
    (p) => `the grade address has no segment ${JSON.stringify(p.member)} (user.member)`,
    GRADE_URL_RULE,
    () => 'mark the segment: write {member} in its place',
  ),
  'grade_url.member_twice': wrong(
    (p) => `${JSON.stringify(p.member)} (user.member) stands ${p.count} times in the grade address`,
    GRADE_URL_RULE,
    (p) =>
      p.member === '{member}'
        ? 'leave the mark where the member belongs, and nowhere else'
        : 'mark the right one: write {member} in its place',
  ),
} satisfies Record<string, CodeRow>;
