import { expect, test } from 'vitest';
import { lectern } from '../support/lectern.ts';

const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.signature-canary';

test.each([
  [['launch', 'save', 'n', `Bearer ${TOKEN}`]],
  [['launch', 'save', 'n', `https://tool.example/l?launch=${TOKEN}`]],
  [['launch', 'use', TOKEN]],
  [['storage', 'get', TOKEN]],
  [['storage', 'get', 'member', '-l', 'eyJhbGciOiJIUzI1NiJ9..signature-canary']],
  [['storage', 'undo', 'member', '--url', 'http://a.example/r', TOKEN]],
  [['grade', 'submit', '--score', '0.5', '-k', 'ak_live_canary1']],
  [['grade', 'submit', '--score', TOKEN]],
  [['grade', 'submit', '--points', `${TOKEN}/50`]],
  [['grade', 'submit', '--points', `${TOKEN}/0`]],
  [['grade', 'submit', '--score', '1', '--max-score', TOKEN]],
  [['grade', 'submit', '--score', '1', '--grading-progress', TOKEN]],
  [['provision', 'sk_test_canary1']],
  [['files', 'sync', TOKEN, 'elsewhere']],
  [[TOKEN]],
])('a secret among the arguments is never repeated: %j', async (args) => {
  const { stdout, stderr } = await lectern(args);
  expect(stdout + stderr).not.toMatch(/canary|eyJh\w/);
});

test.each([
  [['storage', 'get', TOKEN], 2],
  [['launch', 'save', 'n', `Bearer ${TOKEN}`], 2],
  [['storage', 'get', 'member', '-k', 'ak_live_canary1'], 4],
  [['storage', 'get', 'key_canary5example7'], 2],
  [['grade', 'submit', 'lt_canary5example7'], 2],
  [['grade', 'submit', '--score', '1', TOKEN], 2],
  [['launch', 'list', 'canary-5-of-32-characters-or-more'], 2],
  [['doctor', `Bearer ${TOKEN}`], 2],
] as const)('a secret among the arguments gets a hint: %j', async (args, exit) => {
  const result = await lectern(args);
  expect([result.exit, result.stderr]).toEqual([
    exit,
    expect.stringMatching(/not accepted as arguments/),
  ]);
  expect(result.stdout + result.stderr).not.toContain('canary');
});

test('an extra argument that is not a secret is not reported as one', async () => {
  const { exit, stderr } = await lectern(['grade', 'submit', '--score', '1', 'student-17']);
  expect([exit, stderr]).toEqual([2, expect.stringContaining('too many arguments')]);
  expect(stderr).not.toContain('secret');
});

test.each([
  ['storage', 'get', 'cntext-of-a-course'],
  ['launch', 'show', '01234567-89ab-cdef-0123-456789abcdef'],
  ['validate', 'row', 'the-rows-of-monday.staging-eu.json'],
  ['validate', 'row', 'a/folder/with-a-name-of-32-characters-or-more/1'],
])('an argument that is not a secret is repeated in the error: %s %s %s', async (...args) => {
  const { stderr } = await lectern(args);
  expect(stderr).toContain(args[2]);
});
