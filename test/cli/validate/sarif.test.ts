import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { lectern } from '../../support/lectern.ts';
import { folderOf } from './results.ts';

/** What code scanning asks of a log beyond SARIF itself: rules with help, results with a place. */
const text = { type: 'object', required: ['text'], properties: { text: { minLength: 1 } } };
const rule = {
  type: 'object',
  required: ['id', 'shortDescription', 'fullDescription', 'help'],
  properties: { id: { minLength: 1 }, shortDescription: text, fullDescription: text, help: text },
};
const position = { type: 'integer', minimum: 1 };
const region = {
  type: 'object',
  required: ['startLine'],
  properties: { startLine: position, startColumn: position },
};
const place = {
  type: 'object',
  required: ['artifactLocation', 'region'],
  properties: {
    artifactLocation: {
      type: 'object',
      required: ['uri'],
      properties: { uri: { type: 'string', pattern: '^[^\\s\\\\]+$' } },
    },
    region,
  },
};
const result = {
  type: 'object',
  required: ['ruleId', 'ruleIndex', 'message', 'locations'],
  properties: {
    message: text,
    level: { enum: ['error', 'warning', 'note'] },
    locations: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['physicalLocation'],
        properties: { physicalLocation: place },
      },
    },
  },
};
const run = {
  type: 'object',
  required: ['tool', 'results'],
  properties: {
    tool: {
      type: 'object',
      required: ['driver'],
      properties: {
        driver: {
          type: 'object',
          required: ['name', 'rules', 'semanticVersion'],
          properties: { rules: { type: 'array', items: rule } },
        },
      },
    },
    results: { type: 'array', items: result },
  },
};
const isAccepted = new Ajv2020({ strict: false }).compile({
  type: 'object',
  required: ['version', '$schema', 'runs'],
  properties: { version: { const: '2.1.0' }, runs: { type: 'array', items: run } },
});

interface Log {
  readonly runs: readonly [
    {
      readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
      readonly automationDetails: { readonly id: string };
      readonly results: readonly {
        readonly ruleId: string;
        readonly ruleIndex: number;
        readonly level: string;
        readonly locations: readonly [
          {
            readonly physicalLocation: {
              readonly artifactLocation: { readonly uri: string };
              readonly region: { readonly startLine: number; readonly startColumn: number };
            };
          },
        ];
      }[];
    },
  ];
}

async function logOf(args: readonly string[], cwd: string, exit: number): Promise<Log> {
  const outcome = await lectern(['validate', ...args, '--format', 'sarif'], { cwd });
  expect(outcome.exit).toBe(exit);
  const log = JSON.parse(outcome.stdout) as Log;
  isAccepted(log);
  expect(isAccepted.errors).toBeNull();
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
    region: { startLine: 2, startColumn: 13 },
  });
});

test('where nothing is found the log is empty, and replaces what was found before', async () => {
  const { runs } = await logOf(['grade', 'a.json'], folderOf({ 'a.json': '{"score":1}' }), 0);
  expect(runs[0].results).toEqual([]);
});

test('no log has more results than code scanning takes', async () => {
  const rows = Array.from({ length: 25_001 }, (_, index) => `m-${index},2`);
  const cwd = folderOf({ 'grades.csv': ['member,score', ...rows].join('\n') });
  const { runs } = await logOf(['grades', 'grades.csv'], cwd, 3);
  expect(runs[0].results.length).toBe(25_000);
});
