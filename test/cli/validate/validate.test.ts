import { truncateSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Code, CODES, FILES_TOTAL, ROW_SIZE } from '../../../src/contract/index.ts';
import { KINDS, schemaFor } from '../../../src/validator/index.ts';
import { temporaryFolder } from '../../support/lectern.ts';
import { launchFor } from '../../support/service.ts';
import { atTerminal, jsonOf, linesIn, step, stepsAt } from '../../support/steps.ts';
import { validate } from './results.ts';

/** A row whose compact form has exactly this many bytes. */
const rowOf = (bytes: number): string => `{"a":"${'x'.repeat(bytes - 8)}"}`;

const ADD = '{"patch":[{"op":"add","path":"/b","value":2}]}';
const BESIDE = { files: { 'row.json': '{"a":1}' } };
const LISTING = Array.from({ length: 99 }, (_, index) => ({ key: `f${index}`, size: 1 }));

test('validate --json prints exactly one array of source, valid and findings', async () => {
  const place = { code: 'grade.score_range', path: '/score', line: 2, column: 11 };
  const rule = 'Endpoints, Grade submission: request body';
  const words = { message: 'score must be between 0 and 1', rule, hint: /42.5 is outside/ };
  const json = [
    { source: '-', valid: false, findings: [{ severity: 'error', ...place, ...words }] },
  ];
  await step('validate grade --json', { exit: 3, input: '{\n "score": 42.5}', json });
});

/** The files of the folder that each line is run in. */
const FILES = {
  'row.json': '{"a":1}',
  'half.json': rowOf(300_000),
  'large.json': rowOf(ROW_SIZE.member.bytes + 1),
  'b.json': '{"score":1}',
  'all/one.json': '{"score":2}',
  'all/deep/two.json': '{"score":1,"score":1}',
  'all/.hidden/three.json': 'no JSON',
  'all/notes.txt': 'no JSON',
  'bad name.txt': 'x',
  'names/bad name.txt': 'x',
  'names/good.txt': 'x',
  'case/ROW.JSON': '[]',
  'listing.json': JSON.stringify(LISTING),
};

/** Each payload with the codes that are found in it. */
test.each(
  linesIn(`
  row < [] # -: body.not_object
  row < {"a":1e400} # -: body.lossy_number
  row --kind parent_location large.json # large.json:
  row case # case/ROW.JSON: body.not_object
  row half.json --kind member --warn-at 50% # half.json: row.near_limit
  file --key 'a b' < {"size":1} # -: file.key_invalid
  file - --key 'a b' < {"size":1} # -: file.key_invalid
  launch < Hello # -: launch.unreadable
  grade b.json all - b.json < { # b.json: all/deep/two.json: body.duplicate_name all/one.json: grade.score_range -: body.syntax
  patch --against row.json < {"patch":[{"op":"remove","path":"/b"}]} # -: patch.target_missing
  key logo.png 'a b' -- -x # logo.png: a b: file.key_invalid -x: file.key_invalid
  key < logo.png\r\\nRésumé.pdf\\n # logo.png: Résumé.pdf: file.key_invalid
  key # : file.key_invalid
  file names b.json # names/bad name.txt: file.key_invalid names/good.txt: b.json:
  file 'bad name.txt' --key good # bad name.txt:
  file b.json row.json --with listing.json # b.json: row.json: files.too_many
  file b.json --with - --kind member < ${JSON.stringify([{ key: 'f', size: FILES_TOTAL.member.bytes }])} # b.json: files.quota_exceeded`),
)('validate %s', async (text) => {
  const [line = '', found = ''] = text.split(' # ');
  const isError = (word: string) => word in CODES && CODES[word as Code].severity === 'error';
  const exit = found.split(' ').some(isError) ? 3 : 0;
  const results = await validate(line, { files: FILES, exit });
  expect(
    results
      .map(({ source, findings }) => [`${source}:`, ...findings.map(({ code }) => code)].join(' '))
      .join(' '),
  ).toBe(found);
});

test('validate --strict fails with a warning, which alone is valid', async () => {
  await validate('row', { input: '{"a":1e400}', stderr: '' });
  await validate('row --strict', { input: '{"a":1e400}', exit: 3 });
  await validate('row --strict', { input: '{}' });
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
  const dated = 'validate launch launch.json --contract 2026-09-21 --json';
  await step(dated, { ...given, stdout: 'launch.claim_too_new' });
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

test('validate file rejects files that would get one key, as files upload does: 2', async () => {
  const files = { 'a.txt': 'x', 'sub/a.txt': 'x' };
  const stderr = 'a.txt and sub/a.txt would both get the key a.txt';
  await stepsAt().step('validate file a.txt sub/a.txt', { files, exit: 2, stderr });
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
