import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { answerJson, launchFile, type SeenRequest, startService } from '../support/service.ts';
import { terminal } from '../support/terminal.ts';

/** Characters that steer a terminal or reorder what is read, and that JSON may hold as they are. */
const HOSTILE = 'a\u007fb\u009b31mc\u202ed\u2066e\u2028f\ufeffg\u200bh';
/** Those and the control characters, but for the line breaks of a terminal and the tab. */
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

const RECORD = {
  id: HOSTILE,
  status: 'success',
  score: 0.5,
  max_score: null,
  activity_progress: 'Completed',
  grading_progress: 'FullyGraded',
  submitted: '2026-11-22T00:00:00Z',
  lineitem: HOSTILE,
  data: { comment: HOSTILE, response: { status: 200, body: HOSTILE }, error: '' },
  annotations: { member: HOSTILE, location: 'l-1', app: 'a', context: 'c' },
};
const FILES = [{ key: 'k', size: 1, modified: 1, note: HOSTILE }];

/** Answers every call with a text that means harm. */
function answer({ method, target }: SeenRequest): [status: number, body: unknown] {
  if (target.includes('refused')) return [422, { error: HOSTILE, message: HOSTILE }];
  if (method === 'POST') return [200, RECORD];
  if (target.includes('f%69les')) return [200, FILES];
  return [200, { [HOSTILE]: HOSTILE }];
}

let home: string;
let launch: string;
let origin: string;

beforeEach(async () => {
  home = temporaryFolder();
  const service = await startService((request, response) => {
    const [status, body] = answer(request);
    answerJson(response, status, body);
  });
  origin = service.origin;
  launch = launchFile(origin, { note: HOSTILE });
});

const grades = (): string => {
  const path = join(temporaryFolder(), 'grades.csv');
  writeFileSync(path, `member,score,comment\nm-1,0.5,${HOSTILE}\n`);
  return path;
};

const COMMANDS: [name: string, args: () => string[], exit: number][] = [
  ['a row', () => ['storage', 'get', 'member'], 0],
  ['the content of a row', () => ['storage', 'get', 'member', `/${HOSTILE}`], 0],
  ['a patch', () => ['storage', 'diff', 'member', 'context'], 0],
  ['a dry run', () => ['storage', 'patch', 'member', '--add', `/x=${HOSTILE}`, '--dry-run'], 0],
  ['a refusal', () => ['storage', 'get', '--url', `${origin}/refused`], 7],
  ['a missing pointer', () => ['storage', 'get', 'member', `/${HOSTILE}${HOSTILE}`], 6],
  ['a usage error', () => ['storage', 'get', HOSTILE], 2],
  ['a rejected value', () => ['grade', 'submit', '--score', HOSTILE], 3],
  ['a missing file', () => ['validate', 'row', HOSTILE], 2],
  ['findings', () => ['validate', 'launch', launch], 0],
  ['a decoded launch', () => ['launch', 'decode', launch], 0],
  ['files', () => ['files', 'ls', 'member'], 0],
  ['an attempt', () => ['grade', 'submit', '--score', '0.5', '--comment', HOSTILE], 0],
  ['a planned run', () => ['grade', 'submit', '--from', grades(), '--dry-run'], 0],
  ['a run', () => ['grade', 'submit', '--from', grades(), '--yes', '--quiet'], 0],
];

test.each(COMMANDS)('%s is printed without terminal control characters', async (_, args, exit) => {
  const line = [...args(), '--json', '-l', launch];
  const view = terminal(line, { home });
  const code = await view.exit;
  const bytes = view.bytes();
  expect([code, bytes.replaceAll(/\r\n|\t/g, '').match(STEERING)], bytes).toEqual([exit, null]);
});

test('the printed JSON has the same value', async () => {
  const line = ['storage', 'get', 'member', '--json', '-l', launch];
  const view = terminal(line, { home, columns: 400 });
  await view.exit;
  const { stdout } = await lectern(line, { home });
  expect(stdout).toContain(HOSTILE);
  expect(JSON.parse(view.bytes())).toEqual(JSON.parse(stdout));
});

test('attempts of the ledger, a report and a line keep only plain white space', async () => {
  await lectern(['grade', 'submit', '--from', grades(), '--yes', '-l', launch], { home });
  for (const words of [
    ['grade', 'log', '--json'],
    ['grade', 'report', '1', '--json'],
    ['grade', 'resume', '1', '--dry-run', '--json', '-l', launch],
  ]) {
    const view = terminal(words, { home });
    await view.exit;
    const bytes = view.bytes().replaceAll(/\r\n|\t/g, '');
    expect(bytes.match(STEERING), bytes).toBeNull();
    expect(bytes).toContain('{');
  }
});
