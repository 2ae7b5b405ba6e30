import { truncateSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Code, FILES_TOTAL, ROW_SIZE } from '../../../src/contract/index.ts';
import { KINDS, schemaFor } from '../../../src/validator/index.ts';
import { temporaryFolder } from '../../support/lectern.ts';
import { launchFor } from '../../support/service.ts';
import {
  atTerminal,
  type Expected,
  type Given,
  jsonOf,
  linesIn,
  step,
} from '../../support/steps.ts';
import { validate } from './results.ts';

/** A row whose compact form has exactly this many bytes. */
const rowOf = (bytes: number): string => `{"a":"${'x'.repeat(bytes - 8)}"}`;

const ADD = '{"patch":[{"op":"add","path":"/b","value":2}]}';
const REMOVE = '{"patch":[{"op":"remove","path":"/b"}]}';
const BESIDE = { files: { 'row.json': '{"a":1}' } };
const LISTING = Array.from({ length: 99 }, (_, index) => ({ key: `f${index}`, size: 1 }));
const TWO = { 'a.json': 'x', 'b.json': 'x', 'listing.json': JSON.stringify(LISTING) };

test('validate --json prints exactly one array of source, valid and findings', async () => {
  const found = await step('validate grade --json', { exit: 3, input: '{\n "score": 42.5}' });
  expect(jsonOf(found)).toEqual([
    {
      source: '-',
      valid: false,
      findings: [
        {
          code: 'grade.score_range',
          severity: 'error',
          path: '/score',
          line: 2,
          column: 11,
          message: 'score must be between 0 and 1',
          rule: 'Endpoints, Grade submission: request body',
          hint: expect.stringContaining('42.5 is outside') as string,
        },
      ],
    },
  ]);
});

test.each<[line: string, found: Code[][], expected: Given & Expected]>([
  ['row', [['body.not_object']], { input: '[]', error: { code: 'body.not_object', exit: 3 } }],
  ['row', [['body.lossy_number']], { input: '{"a":1e400}', stderr: '' }],
  ['row --kind parent_location', [[]], { input: rowOf(ROW_SIZE.member.bytes + 1) }],
  ['row - --kind member --warn-at 50%', [['row.near_limit']], { input: rowOf(300_000) }],
  ["file --key 'a b'", [['file.key_invalid']], { input: '{"size":1}' }],
  ["file - --key 'a b'", [['file.key_invalid']], { input: '{"size":1}' }],
  ['launch', [['launch.unreadable']], { input: 'Hello' }],
  ['row --strict', [['body.lossy_number']], { input: '{"a":1e400}', exit: 3 }],
  ['row --strict', [[]], { input: '{}' }],
  [
    'grade b.json all - b.json',
    [[], ['body.duplicate_name'], ['grade.score_range'], ['body.syntax']],
    {
      files: {
        'b.json': '{"score":1}',
        'all/one.json': '{"score":2}',
        'all/deep/two.json': '{"score":1,"score":1}',
        'all/.hidden/three.json': 'no JSON',
        'all/notes.txt': 'no JSON',
      },
      input: '{',
      json: [
        { source: 'b.json', valid: true },
        { source: 'all/deep/two.json', valid: true },
        { source: 'all/one.json', valid: false },
        { source: '-', valid: false },
      ],
    },
  ],
  ['patch --against row.json', [['patch.target_missing']], { ...BESIDE, input: REMOVE }],
  [
    "key logo.png 'a b' -- -x",
    [[], ['file.key_invalid'], ['file.key_invalid']],
    { json: [{ source: 'logo.png' }, { source: 'a b' }, { source: '-x', valid: false }] },
  ],
  [
    'key',
    [[], ['file.key_invalid']],
    {
      input: 'logo.png\r\nRésumé.pdf\n',
      json: [{ source: 'logo.png' }, { source: 'Résumé.pdf', findings: [{ hint: /Resume\.pdf/ }] }],
    },
  ],
  ['key', [['file.key_invalid']], { input: '' }],
  [
    'file . deep/x.txt',
    [['file.key_invalid'], [], []],
    {
      files: { 'good.txt': 'x', 'bad name.txt': 'x', 'deep/x.txt': 'x' },
      json: [{ source: 'bad name.txt' }, { source: 'good.txt' }, { source: 'deep/x.txt' }],
    },
  ],
  ["file 'bad name.txt' --key good", [[]], { files: { 'bad name.txt': 'x' } }],
  ['file a.json b.json --with listing.json', [[], ['files.too_many']], { files: TWO }],
  [
    'file a.json --with - --kind member',
    [['files.quota_exceeded']],
    { files: TWO, input: JSON.stringify([{ key: 'f', size: FILES_TOTAL.member.bytes }]) },
  ],
])('validate %s: %j', async (line, found, expected) => {
  await validate(line, { found, ...expected });
});

test('--against applies the patch to the row, and prints the resulting size', async () => {
  const stderr = '-: the resulting row has 13 bytes, 0.0 % of the 512 KB limit';
  const given = { cwd: temporaryFolder(), ...BESIDE, input: ADD };
  await step('validate patch --against row.json --kind member', { ...given, stdout: '', stderr });
});

test('launch checks a saved launch, also against an older contract', async () => {
  const launch = launchFor('https://service.example');
  const given = { home: temporaryFolder(), cwd: temporaryFolder(), lacks: launch.api.token };
  const files = { 'launch.json': JSON.stringify(launch) };
  await step('launch save monday launch.json', { ...given, files });
  const [saved] = await validate('launch --launch monday', given);
  expect(saved).toMatchObject({ source: 'monday' });
  expect(saved?.findings.length).toBeGreaterThan(0);
  const dated = 'launch launch.json --contract 2026-09-21';
  const [older] = await validate(dated, given);
  expect(older?.findings.map(({ code }) => code)).toContain('launch.claim_too_new');
});

describe('the output of validate', () => {
  const input = '{"score":2,"a/b":1}';

  test('has one line for each finding without a terminal', async () => {
    const stderr = /^lectern: 1 of 1 invalid: 1 error, 1 warning\n$/;
    const { stdout } = await step('validate grade', { input, exit: 3, stderr });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.split('\t').slice(0, 6))).toEqual([
      ['-', 'error', 'grade.score_range', '1', '10', '/score'],
      ['-', 'warning', 'grade.unknown_field', '1', '18', '/a~1b'],
    ]);
  });

  test('is not cut on a narrow terminal, and control characters are escaped', async () => {
    const cwd = temporaryFolder();
    const files = { 'evil\u001b[2J.json': '{"score":2}' };
    await step('validate grade .', { cwd, files, exit: 3 });
    const { screen } = await atTerminal('validate grade .', { cwd, columns: 40, exit: 3 });
    const words = screen.replace(/\s+/g, ' ');
    expect(words).toContain('evil\\u{1b}[2J.json');
    expect(words).toContain('error: score must be between 0 and 1 [grade.score_range, line 1,');
    expect(words).toContain('(--points 42.5/50) Endpoints, Grade submission: request body');
  });

  test('suggests validate grades if validate grade gets a CSV file', async () => {
    const given = { cwd: temporaryFolder(), files: { 'grades.csv': 'member,score\na,1\n' } };
    const stderr = 'lectern validate grades FILE\n';
    await step('validate grade grades.csv', { ...given, exit: 3, stderr });
  });

  test('says on standard error that there are no findings', async () => {
    const stderr = /^1 valid: no errors, no warnings\n$/;
    await step('validate grade', { input: '{"score":1}', stderr });
    await step('validate grade --quiet', { input: '{"score":1}', stderr: '' });
  });
});

test.each([
  ...KINDS.map((kind) => [`--schema ${kind}`, kind] as const),
  ['row --schema key', 'key'] as const,
])('validate %s prints the schema', async (line, kind) => {
  expect(jsonOf(await step(`validate ${line}`))).toEqual(schemaFor(kind));
});

test('validate of a folder finds its files in whatever case', async () => {
  await step('validate row d # exit 3: d/ROW.JSON', {
    cwd: temporaryFolder(),
    files: { 'd/ROW.JSON': '[]' },
  });
});

describe('validate with wrong arguments', () => {
  test.each(
    linesIn(`
    validate # exit 2: needs a command
    validate rwo # exit 2: did you mean row?
    validate row --kind contxt # exit 2: did you mean context?
    validate row --warn-at 0 # exit 2: from 1 to 100
    validate row --format xml # exit 2: text, json, sarif, github, junit
    validate row --json --format table # exit 2: cannot be used together
    validate row nope.json # exit 2: no such file
    validate row . # exit 2: contains no .json files
    validate patch --against - # exit 2: cannot both come from standard input
    validate file nope.txt # exit 2: no such file
    validate file . # exit 2: contains no files
    validate file /dev/null # exit 2: not a regular file
    validate file - --with - # exit 2: cannot both come from standard input
    validate file - a # exit 2: cannot be combined with files
    validate launch --contract yesterday # exit 2: YYYY-MM-DD
    validate hosted-tool nope.zip # exit 2: no such file or folder
    validate grades nope.csv # exit 2: no such file
    validate grades --map x=membr # exit 2: did you mean member?
    validate --schema rwo # exit 2: rwo`),
  )('%s', async (line) => {
    await step(line, { cwd: temporaryFolder(), stdout: '' });
  });

  test('rejects an input that is far too large for a payload: 3', async () => {
    const cwd = temporaryFolder();
    await step('validate row video.mp4', { cwd, files: { 'video.mp4': '' }, exit: 3 });
    truncateSync(`${cwd}/video.mp4`, 40_000_000);
    const stderr = 'video.mp4 has more than 16777216 bytes';
    await step('validate row video.mp4', { cwd, exit: 3, stderr });
  });

  test.each(['row', 'hosted-tool', 'grades', 'key', 'file'])(
    'asks for the payload of %s instead of waiting for it',
    async (kind) => {
      await atTerminal(`validate ${kind}`, { exit: 2, shows: 'for standard input' });
    },
  );
});
