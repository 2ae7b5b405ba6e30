import { expect, test } from 'vitest';
import { sarifLog } from '../../../src/cli/output/sarif.ts';
import { CODES, type Code, explainViolation, violation } from '../../../src/contract/index.ts';
import { lectern } from '../../support/lectern.ts';
import { type SarifLog, sarifProblems } from '../../support/sarif.ts';
import { folderOf } from './results.ts';

async function logOf(args: readonly string[], cwd: string, exit: number): Promise<SarifLog> {
  const outcome = await lectern(['validate', ...args, '--format', 'sarif'], { cwd });
  expect(outcome.exit).toBe(exit);
  const log = JSON.parse(outcome.stdout) as SarifLog;
  expect(sarifProblems(log)).toEqual([]);
  return log;
}

test('a log has a rule for each code, and each finding its file, line and column', async () => {
  const cwd = folderOf({
    'a b.json': '{\n "score": 2,\n "x": 1}',
    'c.json': '{}',
    'd.json': '{"score":7}',
  });
  const { runs } = await logOf(['grade', 'a b.json', 'c.json', `${cwd}/d.json`], cwd, 3);
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

test('a finding in a hosted tool is shown at its own file', async () => {
  const cwd = folderOf({ 'tool/manifest.json': '{\n"locations":[]}', 'tool/index.html': 'x' });
  const { runs } = await logOf(['hosted-tool', 'tool/'], cwd, 3);
  expect(runs[0].results[0]?.locations[0].physicalLocation).toEqual({
    artifactLocation: { uri: 'tool/manifest.json' },
    region: { startLine: 2, startColumn: 13, endLine: 2, endColumn: 14 },
  });
});

test('without findings the log is empty, and replaces earlier findings', async () => {
  const { runs } = await logOf(['grade', 'a.json'], folderOf({ 'a.json': '{"score":1}' }), 0);
  expect(runs[0].results).toEqual([]);
});

test('no log has more results than code scanning takes', async () => {
  const rows = Array.from({ length: 25_001 }, (_, index) => `m-${index},200`);
  const cwd = folderOf({ 'grades.csv': ['member,score', ...rows].join('\n') });
  const { runs } = await logOf(['grades', 'grades.csv'], cwd, 3);
  expect(runs[0].results.length).toBe(25_000);
});

test('a finding of every code is SARIF, and code scanning takes it', () => {
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

test('an incomplete log is detected', () => {
  const bad = sarifLog([], 'row', '1.2.3') as unknown as Record<string, unknown>;
  expect(sarifProblems({ ...bad, version: '2.2' } as unknown as SarifLog)).toEqual([
    '/version must be equal to one of the allowed values',
  ]);
});

test('findings in standard input have the fingerprint that code scanning uses', async () => {
  const fingerprints = async (input: string): Promise<string[]> => {
    const args = ['validate', 'grade', '-', '--format', 'sarif'];
    const { stdout } = await lectern(args, { input });
    const { runs } = JSON.parse(stdout) as SarifLog;
    return runs[0].results.map(({ partialFingerprints: found }) =>
      String(found.primaryLocationLineHash),
    );
  };
  const found = await fingerprints('{"score":2}');
  expect(found).toEqual([expect.stringMatching(/^[0-9a-f]{16}:1$/)]);
  // A line more, and it is the same result.
  expect(await fingerprints('{\n"score":3}')).toEqual(found);
});
