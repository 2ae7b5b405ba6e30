import type { Rule } from './rule.ts';

/** A body for each value, of those with spaces between them. */
const withField = (name: string, values: string): string[] =>
  values.split(' ').map((value) => `{"score":1,"${name}":${value}}`);

const scores = (values: string): string[] => values.split(' ').map((value) => `{"score":${value}}`);

/** "Grade submission": the fields of the body, and "Errors": its messages. */
export const GRADES: readonly Rule[] = [
  {
    name: 'score is a fraction from 0 to 1',
    payloads: scores('0 -0 5e-324 0.5 0.9999999999999999 1 1.0000000000000000000 1000e-3 -0.0e5'),
  },
  {
    name: 'score outside 0 to 1 is refused',
    found: ['grade.score_range /score'],
    status: 422,
    message: 'score must be between 0 and 1',
    payloads: scores('-5e-324 -0.01 1.0000000000000002 1.01 85 -1'),
  },
  {
    name: 'score is compared with 0 and 1 by its digits',
    found: ['grade.score_range /score', 'body.lossy_number /score (warning)'],
    status: 422,
    message: 'score must be between 0 and 1',
    payloads: scores('1.0000000000000000001 10000000000000000000001e-22 -1e-400 1e400'),
  },
  {
    name: 'score with more digits than a double holds is a warning',
    found: ['body.lossy_number /score (warning)'],
    payloads: scores('0.9999999999999999999 1e-400 0.12345678901234567890'),
  },
  {
    name: 'score is a number',
    found: ['grade.score_not_number /score'],
    status: 422,
    message: 'score must be a number, not ',
    payloads: scores('"0.5" "" true null [0.5] {}'),
  },
  {
    name: 'score is required',
    found: ['grade.score_missing /score'],
    status: 422,
    message: 'score is required',
    payloads: ['{}', '{"max_score":50}'],
  },
  {
    name: 'max_score is greater than 0',
    payloads: withField('max_score', '5e-324 0.5 1 50 1.7976931348623157e308'),
  },
  {
    name: 'max_score of 0 or less is refused',
    found: ['grade.max_score_range /max_score'],
    status: 422,
    message: 'max_score must be greater than 0',
    payloads: withField('max_score', '0 -0 -5e-324 -1 0.000e9'),
  },
  {
    name: 'max_score is compared with 0 by its digits',
    found: ['grade.max_score_range /max_score', 'body.lossy_number /max_score (warning)'],
    status: 422,
    message: 'max_score must be greater than 0',
    payloads: withField('max_score', '-1e-400'),
  },
  {
    name: 'max_score is a number',
    found: ['grade.max_score_not_number /max_score'],
    status: 422,
    message: 'max_score must be a number, not ',
    payloads: withField('max_score', '"50" true [] {}'),
  },
  {
    name: 'comment is any text',
    payloads: withField('comment', `"" "Gut\u00a0gemacht\u00a0😀" "\\u0000" "${'a'.repeat(1e5)}"`),
  },
  {
    name: 'comment is a string',
    found: ['grade.comment_not_string /comment'],
    status: 422,
    message: 'comment must be a string, not ',
    payloads: withField('comment', '5 false ["ok"] {}'),
  },
  {
    name: 'activity_progress is Completed or Submitted',
    payloads: withField('activity_progress', '"Completed" "Submitted"'),
  },
  {
    name: 'another activity_progress is refused',
    found: ['grade.activity_progress /activity_progress'],
    status: 422,
    message: 'activity_progress must be one of [Completed, Submitted]',
    payloads: withField(
      'activity_progress',
      '"completed" "COMPLETED" "Completed\\u0020" "" "FullyGraded" "toString" 0 ["Completed"] {}',
    ),
  },
  {
    name: 'grading_progress is FullyGraded or Pending',
    payloads: withField('grading_progress', '"FullyGraded" "Pending"'),
  },
  {
    name: 'another grading_progress is refused',
    found: ['grade.grading_progress /grading_progress'],
    status: 422,
    message: 'grading_progress must be one of [FullyGraded, Pending]',
    payloads: withField(
      'grading_progress',
      '"fullyGraded" "Fully\\u0020Graded" "PENDING" "" "Completed" "PendingManual" 1 ["Pending"] {}',
    ),
  },
  ...['max_score', 'comment', 'activity_progress', 'grading_progress'].map((field) => ({
    name: `null as ${field} is a warning`,
    found: [`grade.null_field /${field} (warning)`],
    payloads: withField(field, 'null'),
  })),
  {
    name: 'launch_id belongs to the removed endpoint',
    found: ['grade.launch_id /launch_id (warning)'],
    payloads: withField('launch_id', '"x"'),
  },
  ...['Score', 'maxScore', 'member', 'constructor', '', '__proto__'].map((field) => ({
    name: `the field "${field}" is unknown`,
    found: [`grade.unknown_field /${field} (warning)`],
    payloads: withField(field, '{"score":2}'),
  })),
  {
    name: 'all violations are found, in the order of the fields',
    found: [
      'grade.score_range /score',
      'grade.max_score_range /max_score',
      'grade.comment_not_string /comment',
      'grade.activity_progress /activity_progress',
      'grade.grading_progress /grading_progress',
      'grade.launch_id /launch_id (warning)',
      'grade.unknown_field /a~1b~0c (warning)',
    ],
    status: 422,
    message: 'score must be between 0 and 1',
    payloads: [
      '{"launch_id":1,"grading_progress":"x","activity_progress":"x","comment":1,"max_score":0,"score":2,"a/b~c":1}',
    ],
  },
  {
    name: 'a name twice is a warning, and the last one counts',
    found: ['body.duplicate_name /score (warning)'],
    payloads: ['{"score":7,"score":0.2}'],
  },
  {
    name: 'a grade is an object',
    found: ['body.not_object'],
    status: 422,
    message: 'malformed body',
    payloads: ['[]', 'null', '1'],
  },
  {
    name: 'a grade is JSON',
    found: ['body.syntax'],
    status: 422,
    message: 'malformed body',
    payloads: ['', '{', '{"score":.5}', '{"score":NaN}', '{"score":1}x'],
  },
];
