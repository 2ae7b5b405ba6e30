import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Answers } from '../../../src/emulator/index.ts';
import type { Claims, State } from '../../emulator/documents.ts';
import { temporaryFolder } from '../../support/lectern.ts';
import { linesIn } from '../../support/steps.ts';
import { emulated } from './running.ts';

test('emulator launch and provision-request can save their valid launches by name', async () => {
  const { step, json } = await emulated();
  await step(`
    emulator launch --json --role manager --save boss # "groups":["manager"]
    emulator launch --json --member member-112 # "member":"member-112"
    emulator launch --json --location poll-1 # "location":{"id":"poll-1"
    emulator launch --json --course history-202 # "context":"history-202"
    storage get context -l boss # {}
    validate launch --strict -l boss
    emulator launch --role student --save boss # exit 2: --force
    validate launch --strict -l boss
    emulator launch --role student --save boss --force
    validate launch --strict -l boss # 1 valid: no errors, no warnings, 3 notes
    emulator provision-request --save boss # exit 2: --force`);
  const request = await json<Claims>('emulator provision-request --save copy');
  expect(Object.keys(request.storage)).toContain('parent_context');
  await step(`
    storage get parent_context -l copy
    storage get context -l copy # exit 7
    storage copy parent_context context --yes -l copy # exit 7: lectern provision context
    provision context -l copy
    storage copy parent_context context --yes -l copy
    storage get context -l copy
    emulator fault --method PUT --path provision --status 200 --body {"ok":true}
    provision context -l copy # is provisioned
    emulator fault --method PUT --path provision --close after
    provision context -l copy # exit 10: storage get context
    validate launch --strict -l copy
    emulator clock advance 4h
    storage get context -l copy # exit 4: lectern emulator provision-request --course biology-102`);
});

test('emulator env makes a launch of the same tool as emulator launch', async () => {
  const { step, json } = await emulated('--seed', 'example');
  const { location } = await json<Claims>('emulator launch');
  const { stdout } = await step('emulator env --launch student --format json');
  const { LECTERN_LAUNCH: file } = JSON.parse(stdout) as Record<string, string>;
  expect(JSON.parse(readFileSync(String(file), 'utf8'))).toMatchObject({ location });
});

test('emulator provision-request --from copies a course', async () => {
  const { step, json } = await emulated();
  const request = (flags: string) => json<Claims>(`emulator provision-request --from ${flags}`);
  const made = await request('history-202');
  expect(made.context).toBe('history-202-copy');
  const named = await request('history-202 --course next-year');
  const { parent_context: parent } = made.storage;
  expect(named).toMatchObject({ context: 'next-year', storage: { parent_context: parent } });
  const launch = 'emulator launch --course next-year --role instructor --json';
  await step(launch, { json: { context: 'next-year' } });
  const turned = await request('biology-101 --course history-202');
  expect(Object.keys(turned.storage)).toContain('parent_location');
  const twice = 'emulator provision-request --from history-202 --course biology-102';
  await step(`${twice} # exit 2: not a copy of`);
  const placed = await request('biology-101 --course again --location essay-2');
  expect(placed).toMatchObject({ context: 'again', location: { id: 'again-essay-2' } });
});

test('a copy of a course takes no ID of another one, and a refused launch leaves nothing', async () => {
  const { step, json } = await emulated('--seed', seedFile());
  const before = await json<State>('emulator state');
  await step(`
    emulator provision-request --from c --location away # exit 2: not in that course
    emulator provision-request --from c --course c-copy # exit 2: begin with c-copy-
    emulator tool suspend t
    emulator provision-request --from c # exit 2: suspended
    emulator tool activate t`);
  const { courses, members: people } = await json<State>('emulator state');
  expect({ courses, people }).toEqual({ courses: before.courses, people: before.members });
  const copy = await json<Claims>('emulator provision-request --from c');
  expect(copy.context).toBe('c-copy-2');
  const { members } = await json<State>('emulator state');
  expect(members).toEqual(expect.arrayContaining([...before.members]));
  const staff = { id: 'c-copy-2-student-1', user: 'user-of-student-1', groups: ['instructor'] };
  expect(members).toContainEqual(expect.objectContaining(staff));
});

/** A course of whose copy another course has a member, and with staff named as a student is. */
function seedFile(): string {
  const path = join(temporaryFolder(), 'seed.json');
  const seed = {
    tools: [{ id: 't' }],
    courses: [
      {
        id: 'c',
        members: [{ id: 'student-1', groups: ['instructor'] }],
        locations: [{ id: 'one', tool: 't' }],
      },
      {
        id: 'other',
        members: [{ id: 'c-copy-student-1' }],
        locations: [{ id: 'away', tool: 't' }],
      },
    ],
  };
  writeFileSync(path, JSON.stringify(seed));
  return path;
}

test('emulator lms can refuse some members, a share or a number of scores', async () => {
  const { step } = await emulated();
  const submit = (member: string, ...exits: number[]): string =>
    exits.map((exit) => `grade submit --score 1 --member ${member} # exit ${exit}`).join('\n');
  await step(`
    emulator launch --role instructor --save me
    emulator lms refuse --member member-112 --member member-113
    ${submit('member-112', 9)}
    ${submit('member-114', 0)}
    emulator lms refuse --percent 25
    ${submit('member-112', 0, 0, 0, 9, 0, 0, 0, 9)}
    emulator lms refuse --times 2 --member member-113
    ${submit('member-112', 0)}
    emulator lms slow 0 --location essay-1 # rejected with 422, of member-113, 2 more
    ${submit('member-113', 9, 9, 0)}
    emulator lms refuse --status 500 --location essay-1
    emulator launch --role instructor --location essay-2 --save second
    emulator lms refuse --times 1
    ${submit('member-113', 9, 0)}
    grade submit --score 1 --member member-113 -l second
    emulator lms column missing
    emulator lms column present
    emulator launch --role instructor --location essay-unlinked --save unlinked
    grade submit --score 1 --member member-113 -l unlinked # exit 9: no line item
    emulator lms ok --json # "essay-1":{"refuse":null`);
});

test('emulator key prints the key of a tool, or saves it like key save', async () => {
  const { step, json } = await emulated();
  await step('emulator launch --role instructor --save me');
  const key = await json<Answers['POST key']>('emulator key');
  expect((await step('emulator key --tool essay')).stdout).toBe(`${key.api_key}\n`);
  await step(`
    emulator key --save quiz
    grade submit -l me -k quiz --member member-112 --score 1
    emulator key --save quiz # exit 2: --force
    emulator tool rotate-key
    grade submit -l me -k quiz --member member-112 --score 1 # exit 4
    emulator key --save quiz --force
    grade submit -l me -k quiz --member member-112 --score 1
    emulator tool rotate-key sketch # exit 2: it is hosted`);
});

test('the LMS follows its settings', async () => {
  const { step, json } = await emulated();
  await step(`
    emulator launch --save me
    emulator lms refuse --status 403 --body locked
    grade submit --score 1 # exit 9: the LMS refused the score with status 403
    emulator lms ok
    grade submit --score 1
    emulator lms scope score --location essay-1
    grade submit --score 1 --max-score 9 # exit 9: line item scope
    emulator lms scope lineitem
    grade submit --score 1 --max-score 9
    emulator lms column missing
    grade submit --score 1 # exit 9: location has no line item
    emulator lms column present
    emulator lms slow 1`);
  const { lms } = await json<Answers['POST lms']>('emulator lms points 30 --location essay-1');
  const set = { refuse: null, scope: 'lineitem', column: 'present', slow_ms: 1, points: 30 };
  expect(lms).toEqual({ 'essay-1': set });
  await step('grade submit --score 1');
  const { gradebook } = await json<State>('emulator state');
  expect(gradebook[0]?.payload).toMatchObject({ scoreGiven: 30, scoreMaximum: 30 });
});

test('tokens end according to the contract', async () => {
  const { step } = await emulated();
  for (const ends of [
    'token end me',
    'tool suspend',
    'tool archive essay',
    'tool replace-code',
    'clock advance 12h',
    'member remove member-113',
  ]) {
    await step(`
      emulator launch --member member-113 --save me --force
      storage get member -l me
      emulator ${ends}
      storage get member -l me # exit 4
      emulator tool activate`);
  }
  await step('emulator token end me', { stderr: /^the token had already ended\n$/ });
});

test('emulator launch without a person launches a student, or else whoever is in the course', async () => {
  const locations = [{ id: 'quiz', tool: 'essay' }];
  const members = [{ id: 'vera', groups: ['instructor'] }];
  const courses = [{ id: 'physics', locations, members }];
  const seed = join(temporaryFolder(), 'seed.json');
  writeFileSync(seed, JSON.stringify({ tools: [{ id: 'polls' }, { id: 'essay' }], courses }));
  const { step } = await emulated('--seed', seed);
  await step('emulator launch --json', { json: { user: { member: 'vera' } } });
  // The key is of the tool that is placed, as the launch is.
  await step(`
    emulator launch --role student # exit 6
    emulator launch --role instructor --save vera
    emulator key --save essay
    grade submit -l vera -k essay --member vera --score 1`);
});

test('emulator launch names a tool that it skipped', async () => {
  const { step } = await emulated();
  await step(`
    emulator tool suspend essay
    emulator launch --role instructor # tool essay is suspended: this is a launch of tool polls`);
  await step('emulator launch --location poll-1', { stderr: '' });
});

test('emulator state prints plain rows that start with the kind, and fits into a narrow terminal', async () => {
  const { step, json, atTerminal } = await emulated();
  await step('emulator launch --save me');
  await step('storage put member --yes', { input: '{"a":1}' });
  await step('grade submit --score 0.5');
  const rows = (await step('emulator state')).stdout.split('\n').map((line) => line.split('\t'));
  expect(rows).toContainEqual(['row', 'member/essay/member-111', '7']);
  const [attempt] = (await json<State>('emulator state')).attempts;
  const whose = ['member-111', 'essay-1', '0.5', 'success', attempt?.submitted, 'user-111', ''];
  expect(rows).toContainEqual(['attempt', attempt?.id, ...whose]);
  await step('emulator state --limit 1 # count\ttools', { lacks: 'member-111\tAmina' });
  const { lines } = await atTerminal('emulator state', { columns: 60, rows: 900 });
  const grade = /^grade +member-111 +essay-1 .* (\d\d:\d\d|yesterday.*)$/;
  expect(lines).toContainEqual(expect.stringMatching(grade));
});

const ERRORS = linesIn(`
  emulator # exit 2: needs a command
  emulator lsm ok # exit 2: did you mean lms?
  emulator launch --role boss # exit 2: is invalid: allowed choices are
  emulator clock advance x # exit 2: is invalid: expected a duration such as
  emulator launch --member nobody # exit 6: no member nobody
  emulator launch --member member-201 --course biology-101 # exit 6: the emulator has no member member-201 in course biology-101
  emulator launch --location nowhere # exit 6: no location nowhere
  emulator launch --course none # exit 6: no course none
  emulator launch --location essay-1 --course history-202 # exit 2: is not in that course
  emulator launch --save -x # exit 2: is not a valid name
  emulator launch --save con # exit 2: is the name of a device
  emulator provision-request --course none # exit 6: no course none
  emulator lms refuse --status 200 # exit 2: 300 to 599
  emulator lms refuse --percent 101 # exit 2: to 100
  emulator lms refuse --times 0 # exit 2: a whole number
  emulator lms refuse --member nobody # exit 6: no member nobody
  emulator key --tool sketch # exit 2: has no API key
  emulator lms scope all # exit 2: is invalid: allowed choices
  emulator lms slow soon # exit 2: is invalid: expected a number from 0 to 2147483647
  emulator fault --path . --delay 3000000000 # exit 2: from 0 to 2147483647
  emulator fault --path . --cut --method GE.T # exit 2: not an HTTP method
  emulator launch --role instructor --member member-111 # exit 2: not instructor but student
  emulator lms points 0 # exit 2: greater than 0
  emulator lms points 5 --location essay-unlinked # exit 2: has no gradebook column
  emulator lms column present --location essay-guide # exit 2: essay-guide is no assessment
  emulator token end nobody # exit 2: no saved launch
  emulator tool suspend none # exit 6: lectern emulator state lists all
  emulator requests --show 9 --json # exit 6: the emulator has no request 9" … emulator requests lists all
  emulator requests --har x.har --follow # exit 2: cannot be used with option
  emulator requests --har . # exit 3: it is a folder
  emulator token end --launch-id none # exit 6: emulator show tokens lists all
  emulator tool rename # exit 2: one of upload, suspend
  emulator tool upload nowhere # exit 2: there is no file or folder
  emulator member remove nobody # exit 6: no member nobody
  emulator clock advance 12 # exit 2: a duration such as
  emulator clock advance -1h # exit 2: -1h
  emulator clock set yesterday # exit 2: ISO 8601
  emulator fault # exit 2: --path is required
  emulator fault --path . # exit 2: no fault given
  emulator fault --path . --cut --delay 1 # exit 2: only one fault
  emulator fault --path . --cut --body x # exit 2: require --status
  emulator fault --path ( --cut # exit 2: not a valid regular expression
  emulator fault --path . --status 99 # exit 2: 200 to 599
  emulator fault --path . --close now # exit 2: allowed choices
  emulator fault --path . --status 500 --header x # exit 2: a header such as
  emulator fault clean # exit 2: did you mean clear?
  emulator exec # exit 2: missing required argument
  emulator import nowhere # exit 2: no such file: nowhere
  emulator show tokens --course x # exit 2: unknown option`);

test('every error has a message and an exit code', async () => {
  const { step } = await emulated();
  for (const line of ERRORS) {
    const [command = '', said = ''] = line.split(' # ');
    const exit = Number(/\d+/.exec(said)?.[0]);
    const error = { exit, message: /./ };
    await step(`${command} --json # ${said}`, { stdout: '', error });
  }
});
