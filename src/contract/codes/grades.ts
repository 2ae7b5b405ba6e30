import { nearest } from '../nearest.ts';
import { flagWord } from '../words.ts';
import { certain, type Example, type Params, possible, situation, wrong } from './code-row.ts';

const GRADE_RULE = 'Endpoints, Grade submission: request body';
const GRADE_URL_RULE = 'Endpoints, Grade submission: the member segment';

const grade = (text: string): Example => ({ kind: 'grade', given: text, text });

/** The members of a grade body ("Request body"). */
export const GRADE_FIELDS: readonly string[] = [
  'score',
  'max_score',
  'comment',
  'activity_progress',
  'grading_progress',
];

/** The hint for a member that is not one of them. */
export function gradeFieldHint({ field }: Params): string {
  return nearest(String(field), GRADE_FIELDS);
}

/** The flags that read the column with the scores of a file as points. */
export function mapToPoints({ column, hasMax }: Params): string {
  const map = flagWord('--map', `${column}=points`);
  return hasMax ? map : `${map} --max-score POINTS (POINTS: the points possible of the column)`;
}

/** Errors and warnings about grade submissions and their URLs. */
export const GRADE_CODES = {
  // Grades
  'grade.score_missing': certain(
    'score is required',
    GRADE_RULE,
    'send a fraction from 0.0 to 1.0, such as 0.85',
    grade('{"points": 42.5}'),
  ),
  'grade.score_not_number': certain(
    (p) => `score must be a number, not ${p.found}`,
    GRADE_RULE,
    'send a JSON number: 0.85, not "0.85"',
    grade('{"score": "0.85"}'),
  ),
  'grade.score_range': certain(
    'score must be between 0 and 1',
    GRADE_RULE,
    (p) => {
      const outside = p.value === undefined ? '' : `${p.value} is outside; `;
      const way = p.column === undefined ? '' : `; read points with ${mapToPoints(p)}`;
      return `${outside}42.5 of 50 points is the fraction 0.85${way}`;
    },
    grade('{"score": 42.5}'),
  ),
  'grade.max_score_not_number': certain(
    (p) => `max_score must be a number, not ${p.found}`,
    GRADE_RULE,
    'send a JSON number greater than 0, or omit it',
    grade('{"score": 0.85, "max_score": "50"}'),
  ),
  'grade.max_score_range': certain(
    'max_score must be greater than 0',
    GRADE_RULE,
    'omit it to keep the points possible of the column',
    grade('{"score": 0.85, "max_score": 0}'),
  ),
  'grade.comment_not_string': certain(
    (p) => `comment must be a string, not ${p.found}`,
    GRADE_RULE,
    'send text, or omit it',
    grade('{"score": 0.85, "comment": ["good"]}'),
  ),
  'grade.activity_progress': certain(
    'activity_progress must be one of [Completed, Submitted]',
    GRADE_RULE,
    'use Completed or Submitted, in exactly this spelling',
    grade('{"score": 0.85, "activity_progress": "completed"}'),
  ),
  'grade.grading_progress': certain(
    'grading_progress must be one of [FullyGraded, Pending]',
    GRADE_RULE,
    'use FullyGraded or Pending, in exactly this spelling',
    grade('{"score": 0.85, "grading_progress": "Done"}'),
  ),
  'grade.not_assessment': certain(
    'grade passback is only allowed for assessment locations',
    'Errors, Grade submission',
    'this location has no gradebook column to post to',
    situation('POST for a location that is not an assessment'),
  ),
  'grade.null_field': possible(
    (p) => `${p.field} is null`,
    GRADE_RULE,
    'omit the field: the contract does not define null',
    grade('{"score": 0.85, "comment": null}'),
  ),
  'grade.unknown_field': possible(
    (p) => `${p.field} is not a field of a grade submission`,
    GRADE_RULE,
    gradeFieldHint,
    grade('{"score": 0.85, "feedback": "good"}'),
  ),
  'grade.launch_id': possible(
    'launch_id belongs to an endpoint that was removed on 2026-09-21',
    'Removed endpoints',
    'omit it: the URL identifies the launch',
    grade('{"score": 0.85, "launch_id": "launch-7"}'),
  ),

  // Grade URLs: rejected before anything is sent, so there is no status
  'grade_url.null': wrong(
    'this launch has no gradebook column to post to: grade.submit is null',
    'Endpoints, Grade submission: rule 5',
    'launch from an assessment location that is deep-linked in the course',
    situation('a launch with "grade": {"submit": null}'),
  ),
  'grade_url.member_invalid': wrong(
    (p) => `${JSON.stringify(p.member)} is not a valid member segment`,
    GRADE_URL_RULE,
    'use the user.member of a launch, or the member of an earlier attempt',
    situation('--member ..', { member: '..' }),
  ),
  'grade_url.not_contexts': wrong(
    'the member of this grade URL cannot be changed: it is not under /contexts/',
    GRADE_URL_RULE,
    'use a launch whose grade.submit is under /contexts/, such as a staff launch',
    situation('--member m-2 with …/account/v1/users/u-1/grades'),
  ),
  'grade_url.member_absent': wrong(
    (p) => `the grade URL has no segment ${JSON.stringify(p.member)} (user.member)`,
    GRADE_URL_RULE,
    'write {member} in place of the member segment',
    situation('--member m-2 with …/contexts/c-1/grades of member m-1', {
      member: 'm-1',
    }),
  ),
  'grade_url.member_twice': wrong(
    (p) => `${JSON.stringify(p.member)} (user.member) occurs ${p.count} times in the grade URL`,
    GRADE_URL_RULE,
    (p) =>
      p.member === '{member}'
        ? 'write {member} only in place of the member segment'
        : 'write {member} in place of the member segment',
    situation('--member m-2 with …/contexts/c-1/m-1/m-1/grades of member m-1', {
      member: 'm-1',
      count: 2,
    }),
  ),
};
