import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import type { Answers } from '../../../src/emulator/index.ts';
import type { Claims, State } from '../../emulator/documents.ts';
import { terminal } from '../../support/terminal.ts';
import { emulated } from './running.ts';

test('emulator launch and provision-request can save their launches by name', async () => {
  const { run, json } = await emulated();
  const staff = await json<Claims>('emulator launch --role manager --save boss');
  expect(staff.user.groups).toEqual(['manager']);
  expect((await json<Claims>('emulator launch --member member-112')).user.member).toBe(
    'member-112',
  );
  expect((await json<Claims>('emulator launch --location poll-1')).location.id).toBe('poll-1');
  expect((await json<Claims>('emulator launch --course history-202')).context).toBe('history-202');
  expect((await run('storage get context -l boss')).stdout).toBe('{}\n');
  const request = await json<Claims>('emulator provision-request --save copy');
  expect(Object.keys(request.storage)).toContain('parent_context');
  expect((await run('storage get parent_context -l copy')).stdout).toBe('{}\n');
  expect((await run('storage get context -l copy')).exit).toBe(7);
  expect((await run('provision context -l copy')).exit).toBe(0);
  expect((await run('storage get context -l copy')).exit).toBe(0);
});

test('emulator provision-request --from copies a course', async () => {
  const { run, json } = await emulated();
  const made = await json<Claims>('emulator provision-request --from history-202');
  expect(made.context).toBe('history-202-copy');
  const named = await json<Claims>(
    'emulator provision-request --from history-202 --course next-year',
  );
  expect(named.context).toBe('next-year');
  expect(named.storage.parent_context).toBe(made.storage.parent_context);
  expect((await json<Claims>('emulator launch --course next-year --role instructor')).context).toBe(
    'next-year',
  );
  const turned = await json<Claims>(
    'emulator provision-request --from biology-101 --course history-202',
  );
  expect(Object.keys(turned.storage)).toContain('parent_location');
  const twice = await run('emulator provision-request --from history-202 --course biology-102');
  expect([twice.exit, twice.stderr]).toEqual([2, expect.stringContaining('not a copy of')]);
});

test('emulator lms can refuse some members, a share or a number of scores', async () => {
  const { run, json } = await emulated();
  await run('emulator launch --role instructor --save me');
  const submit = async (member: string) =>
    (await run(['grade', 'submit', '--score', '1', '--member', member])).exit;
  await run('emulator lms refuse --member member-112 --member member-113');
  expect([await submit('member-112'), await submit('member-114')]).toEqual([9, 0]);
  await run('emulator lms refuse --percent 25');
  const exits: number[] = [];
  for (let score = 0; score < 8; score += 1) exits.push(await submit('member-112'));
  expect(exits).toEqual([0, 0, 0, 9, 0, 0, 0, 9]);
  await run('emulator lms refuse --times 2 --member member-113');
  expect(await submit('member-112')).toBe(0);
  const { stdout } = await run('emulator lms slow 0 --location essay-1');
  expect(stdout).toContain('rejected with 422, of member-113, 2 more');
  expect([await submit('member-113'), await submit('member-113')]).toEqual([9, 9]);
  expect(await submit('member-113')).toBe(0);
  const { lms } = await json<Answers['POST lms']>('emulator lms ok');
  expect(lms['essay-1']?.refuse).toBe(null);
});

test('emulator key prints the key of a tool, or saves it like key save', async () => {
  const { run, json } = await emulated();
  await run('emulator launch --role instructor --save me');
  const key = await json<Answers['POST key']>('emulator key');
  expect((await run('emulator key --tool essay')).stdout).toBe(`${key.api_key}\n`);
  expect((await run('emulator key --save quiz')).exit).toBe(0);
  const { exit } = await run('grade submit -l me -k quiz --member member-112 --score 1');
  expect(exit).toBe(0);
  const taken = await run('emulator key --save quiz');
  expect([taken.exit, taken.stderr]).toEqual([2, expect.stringContaining('--force')]);
  expect((await run('emulator key --save quiz --force')).exit).toBe(0);
});

test('the LMS follows its settings', async () => {
  const { run, json } = await emulated();
  await run('emulator launch --save me');
  const submit = async (...more: string[]) => {
    const { exit, stdout } = await run(['grade', 'submit', '--score', '1', '--json', ...more]);
    return [exit, JSON.parse(stdout).data.error];
  };
  await run('emulator lms refuse --status 403 --body locked');
  expect(await submit()).toEqual([9, 'the LMS refused the score with status 403']);
  await run('emulator lms ok');
  expect(await submit()).toEqual([0, '']);
  await run('emulator lms scope score --location essay-1');
  expect(await submit('--max-score', '9')).toEqual([9, expect.stringContaining('line item scope')]);
  await run('emulator lms scope lineitem');
  expect(await submit('--max-score', '9')).toEqual([0, '']);
  await run('emulator lms column missing');
  expect(await submit()).toEqual([9, 'location has no line item']);
  await run('emulator lms column present');
  await run('emulator lms slow 1');
  const { lms } = await json<Answers['POST lms']>('emulator lms points 30 --location essay-1');
  expect(lms).toEqual({
    'essay-1': { refuse: null, scope: 'lineitem', column: 'present', slow_ms: 1, points: 30 },
  });
  expect(await submit()).toEqual([0, '']);
  const { gradebook } = await json<State>('emulator state');
  expect(gradebook[0]?.payload).toMatchObject({ scoreGiven: 30, scoreMaximum: 30 });
});

test('tokens end according to the contract', async () => {
  const { run } = await emulated();
  const ends = async (line: string): Promise<void> => {
    await run('emulator launch --member member-113 --save me --force');
    expect((await run('storage get member -l me')).exit).toBe(0);
    expect([line, (await run(line)).exit]).toEqual([line, 0]);
    expect([line, (await run('storage get member -l me')).exit]).toEqual([line, 4]);
    await run('emulator tool activate');
  };
  await ends('emulator token end me');
  await ends('emulator tool suspend');
  await ends('emulator tool archive essay');
  await ends('emulator tool replace-code');
  await ends('emulator clock advance 12h');
  await ends('emulator member remove member-113');
  const again = await run('emulator token end me');
  expect([again.exit, again.stderr]).toEqual([0, 'the token had already ended\n']);
});

test('emulator launch replaces a saved launch only with --force, and every launch is valid', async () => {
  const { run } = await emulated();
  expect((await run('emulator launch --role instructor --save me')).exit).toBe(0);
  const again = await run('emulator launch --role student --save me');
  expect([again.exit, again.stdout]).toEqual([2, '']);
  expect(again.stderr).toContain('--force');
  expect(JSON.parse((await run('launch show me --json')).stdout).groups).toEqual(['instructor']);
  expect((await run('validate launch --strict -l me')).exit).toBe(0);
  expect((await run('emulator launch --role student --save me --force')).exit).toBe(0);
  const { exit, stderr } = await run('validate launch --strict -l me');
  expect([exit, stderr]).toEqual([0, '1 valid: no errors, no warnings, 3 notes\n']);
  expect((await run('emulator provision-request --save me')).exit).toBe(2);
  expect((await run('emulator provision-request --save me --force')).exit).toBe(0);
  expect((await run('validate launch --strict -l me')).exit).toBe(0);
});

test('emulator launch names a tool that it skipped', async () => {
  const { run } = await emulated();
  await run('emulator tool suspend essay');
  const { exit, stderr } = await run('emulator launch --role instructor');
  expect([exit, stderr]).toEqual([0, 'tool essay is suspended: this is a launch of tool polls\n']);
  expect((await run('emulator launch --location poll-1')).stderr).toBe('');
});

test('emulator clock advance accepts durations such as 90s and 1h30m', async () => {
  const { run, json } = await emulated();
  await run('emulator clock set 2026-10-13T08:00');
  let passed = 0;
  for (const [duration, seconds] of [
    ['90s', 90],
    ['15m', 900],
    ['12h', 12 * 3600],
    ['3d', 3 * 86_400],
    ['1h30m', 5400],
    ['1d2h3m4.5s', 86_400 + 2 * 3600 + 3 * 60 + 4.5],
  ] as const) {
    const {
      now,
      iso,
      offset_ms: offset,
    } = await json<Answers['POST clock']>(`emulator clock advance ${duration}`);
    passed += seconds;
    const more = now - Date.UTC(2026, 9, 13, 8) - passed * 1000;
    expect([duration, more >= 0 && more < 30_000]).toEqual([duration, true]);
    expect([new Date(now).toISOString(), typeof offset]).toEqual([iso, 'number']);
  }
});

test('emulator reset removes all data', async () => {
  const { run, json } = await emulated();
  await run('emulator launch --save me');
  await run('grade submit --score 1');
  await run('emulator clock advance 3d');
  expect((await run('emulator reset')).exit).toBe(0);
  const { attempts, tokens, now } = await json<State>('emulator state');
  expect([attempts, tokens]).toEqual([[], []]);
  expect(Math.abs(Date.parse(now) - Date.now())).toBeLessThan(60_000);
  expect((await run('storage get member')).exit).toBe(4);
});

test('emulator state prints plain rows that start with the kind', async () => {
  const { run, json } = await emulated();
  await run('emulator launch --save me');
  await run('storage put member --yes', { input: '{"a":1}' });
  await run('grade submit --score 0.5');
  const rows = (await run('emulator state')).stdout.split('\n').map((line) => line.split('\t'));
  expect(rows).toContainEqual(['row', 'member/essay/member-111', '7']);
  const [attempt] = (await json<State>('emulator state')).attempts;
  expect(rows).toContainEqual([
    'attempt',
    attempt?.id,
    'member-111',
    'essay-1',
    '0.5',
    'success',
    attempt?.submitted,
    'user-111',
    '',
  ]);
  const { stdout } = await run('emulator state --limit 1');
  expect([stdout.includes('count\ttools'), stdout.includes('member-111\tAmina')]).toEqual([
    true,
    false,
  ]);
});

test('emulator state fits into a narrow terminal, with short times', async () => {
  const { run, home } = await emulated();
  await run('emulator launch --save me');
  await run('grade submit --score 0.5');
  const shown = terminal(['emulator', 'state'], { home, columns: 60 });
  expect(await shown.exit).toBe(0);
  const lines = stripVTControlCharacters(shown.bytes()).split('\r\n');
  expect(lines.filter((line) => line.length > 60)).toEqual([]);
  expect(lines).toContainEqual(
    expect.stringMatching(/^grade +member-111 +essay-1 .* (\d\d:\d\d|yesterday.*)$/),
  );
});

test('every error has a message and an exit code', async () => {
  const { run } = await emulated();
  const cases: readonly (readonly [string, number, string])[] = [
    ['emulator', 2, 'needs a command'],
    ['emulator lsm ok', 2, 'did you mean lms?'],
    ['emulator launch --role boss', 2, "'boss' is invalid: allowed choices are"],
    [
      'emulator clock advance x',
      2,
      "argument <duration> 'x' is invalid: expected a duration such as",
    ],
    ['emulator launch --member nobody', 6, 'no member nobody'],
    ['emulator launch --location nowhere', 6, 'no location nowhere'],
    ['emulator launch --course none', 6, 'no course none'],
    ['emulator launch --location essay-1 --course history-202', 2, 'is not in that course'],
    ['emulator launch --save -x', 2, 'is not a valid name'],
    ['emulator launch --save con', 2, '"con" is the name of a device'],
    ['emulator launch --save nul.x', 2, '"nul.x" is the name of a device'],
    ['emulator provision-request --course none', 6, 'no course none'],
    ['emulator provision-request --from none', 6, 'no course none'],
    ['emulator lms', 2, 'needs a command'],
    ['emulator lms refuse --status 200', 2, '300 to 599'],
    ['emulator lms refuse --percent 101', 2, 'to 100'],
    ['emulator lms refuse --times 0', 2, 'a whole number'],
    ['emulator lms refuse --member nobody', 6, 'no member nobody'],
    ['emulator key --tool nothing', 6, 'no tool nothing'],
    ['emulator key --tool sketch', 2, 'has no API key'],
    ['emulator lms scope all', 2, "argument <scope> 'all' is invalid: allowed choices"],
    [
      'emulator lms slow soon',
      2,
      "argument <ms> 'soon' is invalid: expected a number from 0 to 2147483647",
    ],
    ['emulator lms', 2, 'lectern emulator lms needs a command'],
    ['emulator lms slow 3000000000', 2, 'from 0 to 2147483647'],
    ['emulator fault --path . --delay 3000000000', 2, 'from 0 to 2147483647'],
    ['emulator fault --path . --cut --method GE.T', 2, 'not an HTTP method'],
    ['emulator launch --role instructor --member member-111', 2, 'not instructor but student'],
    ['emulator lms points 0', 2, 'greater than 0'],
    ['emulator lms ok --location nowhere', 6, 'no location nowhere'],
    ['emulator token end nobody', 2, 'no saved launch'],
    [
      'emulator lms points 5 --location essay-unlinked',
      2,
      'essay-unlinked has no gradebook column',
    ],
    ['emulator tool suspend none', 6, 'emulator has no tool none lectern emulator state lists all'],
    ['emulator fault remove 9', 6, 'emulator fault list lists all'],
    ['emulator requests --show 9', 6, 'emulator requests lists all'],
    ['emulator requests --follow --limit 2', 2, 'cannot be used with option'],
    ['emulator token end --launch-id none', 6, 'emulator show tokens lists all'],
    ['emulator tool rename', 2, 'one of upload, suspend'],
    ['emulator member remove nobody', 6, 'no member nobody'],
    ['emulator member remove', 2, 'missing required argument'],
    ['emulator clock advance 12', 2, 'a duration such as'],
    ['emulator clock advance -1h', 2, '-1h'],
    ['emulator clock set yesterday', 2, 'ISO 8601'],
    ['emulator clock set 2026-13-01', 2, 'ISO 8601'],
    ['emulator clock set 2026-02-30T08:00:00Z', 2, 'ISO 8601'],
    ['emulator fault', 2, '--path is required'],
    ['emulator fault --path .', 2, 'no fault given'],
    ['emulator fault --path . --cut --delay 1', 2, 'only one fault'],
    ['emulator fault --path . --cut --body x', 2, 'require --status'],
    ['emulator fault --path ( --cut', 2, 'not a valid regular expression'],
    ['emulator fault --path . --status 99', 2, '200 to 599'],
    ['emulator fault --path . --close now', 2, 'allowed choices'],
    ['emulator fault --path . --times 0 --cut', 2, '1 or more'],
    ['emulator fault --path . --status 500 --header x', 2, 'a header such as'],
    ['emulator fault clean', 2, 'did you mean clear?'],
    ['emulator exec', 2, 'missing required argument'],
    ['emulator import nowhere', 2, 'no such file: nowhere'],
  ];
  const seen = await Promise.all(
    cases.map(async ([line, , words]) => {
      const { exit, stdout, stderr } = await run(`${line} --json`);
      const { error } = JSON.parse(stderr);
      const text = `${error.message} ${error.hint}`;
      expect([line, stdout, error.exit]).toEqual([line, '', exit]);
      return [line, exit, text.includes(words) ? words : text];
    }),
  );
  expect(seen).toEqual(cases);
});
