import { describe, expect, test } from 'vitest';
import { readJunit } from '../../support/junit.ts';
import { temporaryFolder } from '../../support/lectern.ts';
import { type Expected, type Given, step, jsonOf } from '../../support/steps.ts';
import { sarifLog } from '../../../src/cli/output/sarif.ts';
import { CODES, type Code, explainViolation, violation } from '../../../src/contract/index.ts';
import { type SarifLog, sarifProblems } from '../../support/sarif.ts';

const FILES = {
  'right.json': '{"score":1}',
  'wrong, 1.json': '{\n "score": 2,\n "x": 1}',
  'doubtful.json': '{"score":1,"x":1}',
};
const NAMES = "right.json 'wrong, 1.json' doubtful.json";

/** What `validate` prints in a folder with these files. */
const printed = async (line: string, given: Given & Expected): Promise<string> =>
  (await step(`validate ${line}`, { cwd: temporaryFolder(), ...given })).stdout;

const casesOf = async (line: string, given: Given & Expected) =>
  readJunit(await printed(`${line} --format junit`, given)).cases;

describe('validate --format github', () => {
  test('prints one line for each finding, with file, line and column', async () => {
    const text = await printed(`grade ${NAMES} --format github`, { files: FILES, exit: 3 });
    const lines = [
      /^::error file=wrong%2C 1\.json,line=2,col=11,title=grade\.score_range::score must be .* \(at \/score\); /,
      /^::warning file=wrong%2C 1\.json,line=3,col=\d+,title=grade\.unknown_field::/,
      /^::warning file=doubtful\.json,line=1,/,
      /^$/,
    ];
    expect(text.split('\n')).toEqual(lines.map((line) => expect.stringMatching(line)));
  });

  test.each<[line: string, exit: number, stdout: string | RegExp]>([
    ['grade doubtful.json --strict', 3, /^::error file=doubtful\.json,/],
    ['grade right.json', 0, ''],
    // No file is named.
    ['grade -', 3, /^::error title=grade\.score_range::/],
    ["key 'a b'", 3, /^::error title=file\.key_invalid::invalid file key "a b"/],
  ])('prints warnings as errors with --strict, nothing without findings: %s', async (...row) => {
    const [line, exit, stdout] = row;
    await printed(`${line} --format github`, { files: FILES, input: '{"score":2}', exit, stdout });
  });

  test('escapes characters that would end a property, a message or a line', async () => {
    const name = 'a:b,c%d.json';
    const field = 'é\n::error::x\r%0A\u001b[31m';
    const files = { [name]: JSON.stringify({ score: 1, [field]: 1 }) };
    const text = await printed(`grade ${name} --format github`, { files });
    expect(text.match(/\n/g)).toHaveLength(1);
    expect(text).toMatch(/^::warning file=a%3Ab%2Cc%25d\.json,line=1,/);
    expect(text).toContain('é%0A::error::x%0D%250A\\u{1b}[31m is not a field');
  });
});

describe('validate --format junit', () => {
  test('prints one case for each input, which fails if the input is invalid', async () => {
    const text = await printed(`grade ${NAMES} --format junit`, { files: FILES, exit: 3 });
    const { suite, cases } = readJunit(text);
    expect(suite).toBe('lectern validate grade');
    const failure = {
      message: 'score must be between 0 and 1',
      type: 'grade.score_range',
      text: expect.stringContaining('wrong, 1.json:2:11 /score: error: score must be'),
    };
    const bare = { classname: 'lectern.validate.grade', failure: undefined, output: undefined };
    const of = (name: string, more: object) => ({ ...bare, name, file: name, ...more });
    const output = expect.stringContaining('x is not a field of a grade submission');
    expect(cases).toEqual([
      of('right.json', {}),
      of('wrong, 1.json', { failure, output }),
      of('doubtful.json', { output: expect.stringContaining('doubtful.json:1:') }),
    ]);
  });

  test('fails for a warning only with --strict', async () => {
    const [strict] = await casesOf('grade doubtful.json --strict', { files: FILES, exit: 3 });
    expect(strict?.failure?.type).toBe('grade.unknown_field');
  });

  test('has the number of other findings in the message, and each in the text, unchanged', async () => {
    const field = '<b> & "q" \'s\' ]]> é😀\r';
    const files = { 'a.json': JSON.stringify({ score: 2, max_score: 0, comment: 7, [field]: 1 }) };
    const [only] = await casesOf('grade a.json --strict', { files, exit: 3 });
    expect(only?.failure?.message).toBe('score must be between 0 and 1, and 3 more findings');
    expect(only?.failure?.text).toContain(
      `: warning: ${field} is not a field of a grade submission`,
    );
    expect(only?.failure?.text.match(/error: /g)).toHaveLength(3);
  });

  test.each([
    ['markup', '</failure><x a="1">&amp;]]>'],
    ['control characters', '\u0000\u0001\b\u000b\u001b[31m\u007f\u0085'],
    ['line breaks and tabs', 'a\r\nb\tc\rd'],
    ['characters that XML does not allow', '\ufffe\uffff'],
    ['half a surrogate pair', '\ud800x'],
    ['bidi control characters', '\u202egnp.exe'],
    ['characters of other planes', '😀'],
  ])('prints valid XML, whatever the findings quote: %s', async (_, field) => {
    const files = { 'a.json': JSON.stringify({ score: 1, [field]: 1 }) };
    const [only] = await casesOf('grade a.json --strict', { files, exit: 3 });
    expect(only?.failure?.message).toContain('is not a field of a grade submission');
    expect(only?.failure?.message).not.toMatch(/(?![\t\n\r])[\p{Cc}\p{Bidi_Control}]/u);
  });
});

async function logOf(
  line: string,
  files: NonNullable<Given['files']>,
  exit: number,
  cwd = temporaryFolder(),
) {
  const outcome = await step(`validate ${line} --format sarif`, { cwd, files, exit });
  const log = jsonOf(outcome) as SarifLog;
  expect(sarifProblems(log)).toEqual([]);
  return log;
}

test('validate --format sarif prints a rule for each code, and file, line and column of each finding', async () => {
  const cwd = temporaryFolder();
  const files = {
    'a b.json': '{\n "score": 2,\n "x": 1}',
    'c.json': '{}',
    'd.json': '{"score":7}',
  };
  const { runs } = await logOf(`grade 'a b.json' c.json ${cwd}/d.json`, files, 3, cwd);
  const [{ tool, results, automationDetails }] = runs;
  const ids = tool.driver.rules.map(({ id }) => id);
  expect(ids).toEqual(['grade.score_range', 'grade.unknown_field', 'grade.score_missing']);
  expect(automationDetails.id).toBe('lectern/grade/');
  const seen = results.map(({ ruleId, ruleIndex, level, locations }) => {
    expect(ids[ruleIndex]).toBe(ruleId);
    const { artifactLocation, region: at } = locations[0].physicalLocation;
    return [ruleId, level, artifactLocation.uri, at.startLine, at.startColumn];
  });
  expect(seen).toEqual([
    ['grade.score_range', 'error', 'a%20b.json', 2, 11],
    ['grade.unknown_field', 'warning', 'a%20b.json', 3, 7],
    ['grade.score_missing', 'error', 'c.json', 1, 1],
    ['grade.score_range', 'error', `file://${cwd}/d.json`, 1, 10],
  ]);
});

test('validate --format sarif names the file of a finding in a hosted tool', async () => {
  const files = { 'tool/manifest.json': '{\n"locations":[]}', 'tool/index.html': 'x' };
  const { runs } = await logOf('hosted-tool tool/', files, 3);
  expect(runs[0].results[0]?.locations[0].physicalLocation).toEqual({
    artifactLocation: { uri: 'tool/manifest.json' },
    region: { startLine: 2, startColumn: 13, endLine: 2, endColumn: 14 },
  });
});

test('validate --format sarif prints a fingerprint for standard input that no other line changes', async () => {
  const stdout = '"primaryLocationLineHash":"28192e35d0a89485:1"';
  for (const input of ['{"score":2}', '{\n"score":3}'])
    await step('validate grade - --format sarif', { input, exit: 3, stdout });
});

test('validate --format sarif prints an empty log without findings, which clears earlier ones', async () => {
  const { runs } = await logOf('grade a.json', { 'a.json': '{"score":1}' }, 0);
  expect(runs[0].results).toEqual([]);
});

test('validate --format sarif prints no more results than code scanning accepts', async () => {
  const rows = Array.from({ length: 25_001 }, (_, index) => `m-${index},200`);
  const files = { 'grades.csv': ['member,score', ...rows].join('\n') };
  const { runs } = await logOf('grades grades.csv', files, 3);
  expect(runs[0].results.length).toBe(25_000);
});

test('validate --format sarif prints valid SARIF for a finding of every code', () => {
  const findings = (Object.keys(CODES) as Code[]).map((code) => {
    const { severity, message, hint, rule } = explainViolation(violation(code, '', {}));
    return { code, severity, message, hint, rule, path: '/a b', line: null, column: null };
  });
  const results = [
    { source: 'a b:c.json', findings },
    { source: '-', findings },
  ];
  expect(sarifProblems(sarifLog(results, 'row', '1.2.3') as unknown as SarifLog)).toEqual([]);
});
