// How a tool's own tests hold what it stores and answers against the contract: node --test
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validateGrade, validateHostedTool, validateLocations, validateRow } from 'lectern';

/** The codes of everything that is wrong, so that a failure names it. */
const errors = (findings = validateRow('')) =>
  findings.filter(({ severity }) => severity === 'error').map(({ code }) => code);

test('the state of a busy student fits their row', () => {
  const drafts = Array.from({ length: 200 }, (_, id) => ({ id, text: 'A draft. '.repeat(100) }));
  const findings = validateRow(JSON.stringify({ drafts }), { kind: 'member' });
  // Not even a warning: it is to stay well below the limit.
  assert.deepEqual(findings, []);
});

test('a grade is a fraction', () => {
  assert.deepEqual(errors(validateGrade(JSON.stringify({ score: 42.5 / 50, max_score: 50 }))), []);
  assert.deepEqual(errors(validateGrade('{"score": 42.5}')), ['grade.score_range']);
});

test('the answer to a locations request has a structure', () => {
  assert.deepEqual(errors(validateLocations('{"message": "No quiz is ready yet."}')), []);
});

test('the built tool can be uploaded', () => {
  const files = [{ path: 'index.html', size: 512 }];
  assert.deepEqual(errors(validateHostedTool({ files, manifest: '{"name": "Quiz"}' })), []);
});
