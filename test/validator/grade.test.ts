import { expect, test } from 'vitest';
import { validateGrade } from '../../src/validator/index.ts';

test('validateGrade gives the position of a finding', () => {
  expect(validateGrade('{\n  "score": 2\n}')[0]).toMatchObject({ line: 2, column: 12 });
});

test('validateGrade explains what to send if a grade is not an object', () => {
  expect(validateGrade('[]')[0]).toMatchObject({
    rule: 'Errors: malformed body',
    hint: 'send { "score": … }',
  });
});
