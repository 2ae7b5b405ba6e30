import { rulesOf } from './rule.ts';

/** A body for each value, of those with spaces between them. */
const withField = (name: string, values: string): string[] =>
  values.split(' ').map((value) => `{"score":1,"${name}":${value}}`);

const scores = (values: string): string[] => values.split(' ').map((value) => `{"score":${value}}`);

/** "Grade submission": the fields of the body, and "Errors": its messages. */
export const GRADES = rulesOf([
  [
    'score is a fraction from 0 to 1',
    '',
    scores('0 -0 5e-324 0.5 0.9999999999999999 1 1.0000000000000000000 1000e-3 -0.0e5'),
  ],
  [
    'score outside 0 to 1 is refused',
    'grade.score_range /score',
    scores('-5e-324 -0.01 1.0000000000000002 1.01 85 -1'),
    'score must be between 0 and 1',
  ],
  [
    'score is compared with 0 and 1 by its digits',
    ['grade.score_range /score', 'body.lossy_number /score (warning)'],
    scores('1.0000000000000000001 10000000000000000000001e-22 -1e-400 1e400'),
    'score must be between 0 and 1',
  ],
  [
    'score with more digits than a double holds is a warning',
    'body.lossy_number /score (warning)',
    scores('0.9999999999999999999 1e-400 0.12345678901234567890'),
  ],
  [
    'score is a number',
    'grade.score_not_number /score',
    scores('"0.5" "" true null [0.5] {}'),
    'score must be a number, not ',
  ],
  [
    'score is required',
    'grade.score_missing /score',
    ['{}', '{"max_score":50}'],
    'score is required',
  ],
  [
    'max_score is greater than 0',
    '',
    withField('max_score', '5e-324 0.5 1 50 1.7976931348623157e308'),
  ],
  [
    'max_score of 0 or less is refused',
    'grade.max_score_range /max_score',
    withField('max_score', '0 -0 -5e-324 -1 0.000e9'),
    'max_score must be greater than 0',
  ],
  [
    'max_score is compared with 0 by its digits',
    ['grade.max_score_range /max_score', 'body.lossy_number /max_score (warning)'],
    withField('max_score', '-1e-400'),
    'max_score must be greater than 0',
  ],
  [
    'max_score is a number',
    'grade.max_score_not_number /max_score',
    withField('max_score', '"50" true [] {}'),
    'max_score must be a number, not ',
  ],
  [
    'comment is any text',
    '',
    withField('comment', `"" "Gut\u00a0gemacht\u00a0😀" "\\u0000" "${'a'.repeat(1e5)}"`),
  ],
  [
    'comment is a string',
    'grade.comment_not_string /comment',
    withField('comment', '5 false ["ok"] {}'),
    'comment must be a string, not ',
  ],
  [
    'activity_progress is Completed or Submitted',
    '',
    withField('activity_progress', '"Completed" "Submitted"'),
  ],
  [
    'another activity_progress is refused',
    'grade.activity_progress /activity_progress',
    withField(
      'activity_progress',
      '"completed" "COMPLETED" "Completed\\u0020" "" "FullyGraded" "toString" 0 ["Completed"] {}',
    ),
    'activity_progress must be one of [Completed, Submitted]',
  ],
  [
    'grading_progress is FullyGraded or Pending',
    '',
    withField('grading_progress', '"FullyGraded" "Pending"'),
  ],
  [
    'another grading_progress is refused',
    'grade.grading_progress /grading_progress',
    withField(
      'grading_progress',
      '"fullyGraded" "Fully\\u0020Graded" "PENDING" "" "Completed" "PendingManual" 1 ["Pending"] {}',
    ),
    'grading_progress must be one of [FullyGraded, Pending]',
  ],
  ...['max_score', 'comment', 'activity_progress', 'grading_progress'].map((field) => ({
    name: `null as ${field} is a warning`,
    found: [`grade.null_field /${field} (warning)`],
    payloads: withField(field, 'null'),
  })),
  [
    'launch_id belongs to the removed endpoint',
    'grade.launch_id /launch_id (warning)',
    withField('launch_id', '"x"'),
  ],
  ...['Score', 'maxScore', 'member', 'constructor', '', '__proto__'].map((field) => ({
    name: `the field "${field}" is unknown`,
    found: [`grade.unknown_field /${field} (warning)`],
    payloads: withField(field, '{"score":2}'),
  })),
  [
    'all violations are found, in the order of the fields',
    [
      'grade.score_range /score',
      'grade.max_score_range /max_score',
      'grade.comment_not_string /comment',
      'grade.activity_progress /activity_progress',
      'grade.grading_progress /grading_progress',
      'grade.launch_id /launch_id (warning)',
      'grade.unknown_field /a~1b~0c (warning)',
    ],
    [
      '{"launch_id":1,"grading_progress":"x","activity_progress":"x","comment":1,"max_score":0,"score":2,"a/b~c":1}',
    ],
    'score must be between 0 and 1',
  ],
  [
    'a name twice is a warning, and the last one counts',
    'body.duplicate_name /score (warning)',
    ['{"score":7,"score":0.2}'],
  ],
  ['a grade is an object', 'body.not_object', ['[]', 'null', '1'], 'malformed body'],
  [
    'a grade is JSON',
    'body.syntax',
    ['', '{', '{"score":.5}', '{"score":NaN}', '{"score":1}x'],
    'malformed body',
  ],
]);
