import { expect, test } from 'vitest';
import { validateGrade } from '../../src/validator/index.ts';
import { brief, expectWhole } from './findings.ts';

const full =
  '{"score":1,"max_score":50,"comment":"","activity_progress":"Submitted","grading_progress":"Pending"}';

test.each<[string, string[]]>([
  ['{"score":0}', []],
  [full, []],
  ['{}', ['grade.score_missing /score']],
  ['{"score":"0.5"}', ['grade.score_not_number /score']],
  ['{"score":null}', ['grade.score_not_number /score']],
  ['{"score":1.0000001}', ['grade.score_range /score']],
  ['{"score":-0.1}', ['grade.score_range /score']],
  ['{"score":1.0000000000000000001}', ['grade.score_range /score', 'body.lossy_number /score']],
  [
    '{"score":10000000000000000000001e-22}',
    ['grade.score_range /score', 'body.lossy_number /score'],
  ],
  ['{"score":-1e-400}', ['grade.score_range /score', 'body.lossy_number /score']],
  ['{"score":0.9999999999999999999}', ['body.lossy_number /score']],
  ['{"score":1e-400}', ['body.lossy_number /score']],
  ['{"score":-0.0e5}', []],
  ['{"score":1000e-3}', []],
  ['{"score":1.00000000000000000000}', []],
  [
    '{"score":1,"max_score":-1e-400}',
    ['grade.max_score_range /max_score', 'body.lossy_number /max_score'],
  ],
  ['{"score":1,"max_score":0.000e9}', ['grade.max_score_range /max_score']],
  ['{"score":1,"max_score":"50"}', ['grade.max_score_not_number /max_score']],
  ['{"score":1,"max_score":0}', ['grade.max_score_range /max_score']],
  ['{"score":1,"max_score":null}', ['grade.null_field /max_score']],
  ['{"score":1,"comment":7}', ['grade.comment_not_string /comment']],
  ['{"score":1,"activity_progress":"completed"}', ['grade.activity_progress /activity_progress']],
  ['{"score":1,"grading_progress":"Done"}', ['grade.grading_progress /grading_progress']],
  ['{"score":1,"launch_id":"x"}', ['grade.launch_id /launch_id']],
  ['{"score":1,"a/b":"x"}', ['grade.unknown_field /a~1b']],
  ['{"score":1,"__proto__":{"score":2}}', ['grade.unknown_field /__proto__']],
  ['{"score":0.1,"score":0.2}', ['body.duplicate_name /score']],
  ['{"score":0.12345678901234567890}', ['body.lossy_number /score']],
  ['[]', ['body.not_object']],
  ['{"score":.5}', ['body.syntax']],
  [
    '{"score":2,"max_score":-1,"comment":[]}',
    [
      'grade.score_range /score',
      'grade.max_score_range /max_score',
      'grade.comment_not_string /comment',
    ],
  ],
])('validateGrade reports the grade %s', (text, expected) => {
  const findings = validateGrade(text);
  expect(brief(findings)).toEqual(expected);
  expectWhole(findings);
});

test('validateGrade uses the messages of the service, with a position', () => {
  expect(validateGrade('{\n  "score": 2\n}')[0]).toMatchObject({
    message: 'score must be between 0 and 1',
    line: 2,
    column: 12,
  });
});

test('validateGrade explains what to send if a grade is not an object', () => {
  expect(validateGrade('[]')[0]).toMatchObject({
    rule: 'Errors: malformed body',
    hint: 'send { "score": … }',
  });
});
