import { expect, test } from 'vitest';
import { sarifLog } from '../../../src/cli/output/sarif.ts';
import { CODES, type Code, explainViolation, violation } from '../../../src/contract/index.ts';
import { temporaryFolder } from '../../support/lectern.ts';
import { type SarifLog, sarifProblems } from '../../support/sarif.ts';
import { type Given, jsonOf, step } from '../../support/steps.ts';

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

test('the SARIF check of the tests detects an incomplete log', () => {
  const bad = sarifLog([], 'row', '1.2.3') as unknown as Record<string, unknown>;
  expect(sarifProblems({ ...bad, version: '2.2' } as unknown as SarifLog)).toEqual([
    '/version must be equal to one of the allowed values',
  ]);
});

test('validate --format sarif prints the fingerprint of code scanning for standard input', async () => {
  const fingerprints = async (input: string): Promise<string[]> => {
    const { runs } = jsonOf(await step('validate grade - --format sarif', { input, exit: 3 }));
    return (runs as SarifLog['runs'])[0].results.map(({ partialFingerprints: found }) =>
      String(found.primaryLocationLineHash),
    );
  };
  const found = await fingerprints('{"score":2}');
  expect(found).toEqual([expect.stringMatching(/^[0-9a-f]{16}:1$/)]);
  // A line more, and it is the same result.
  expect(await fingerprints('{\n"score":3}')).toEqual(found);
});
