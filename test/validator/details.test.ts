/** What findings say beside their codes: the place, the words and the hint. */
import { expect, test } from 'vitest';
import {
  filesAtRoot,
  HOSTED_TOOL_WHOLE,
  HOSTED_TOOL_ZIPPED,
  ROW_SIZE,
} from '../../src/contract/index.ts';
import {
  type Finding,
  simulatePatch,
  validateGrade,
  validateHostedTool,
  validateLaunch,
  validateLocations,
  validatePatch,
  validatePossibleManifest,
  validateRow,
} from '../../src/validator/index.ts';
import { rowOf } from '../rules/rule.ts';
import { patterns } from '../support/steps.ts';
import { brief, expectWhole } from './findings.ts';

const OWN = ROW_SIZE.member.bytes;
const LONG = 'k'.repeat(OWN);
const index = { path: 'index.html', size: 10 };
const message = (text: string): string => JSON.stringify({ message: text });
const wrapped = (...operations: string[]): string => `{"patch":[${operations.join(',')}]}`;
const replacing = (levels: number): string =>
  wrapped(`{"op":"replace","path":"","value":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`);
const badToken = (before: string, after: string) =>
  validateLaunch(`${before}{"api":{"token":7}}${after}`);
const manifest = (text: string) => validateHostedTool({ files: [index], manifest: text });
const largest = validateHostedTool({
  files: [
    { path: 'text.txt', size: HOSTED_TOOL_WHOLE.bytes, compressedSize: 10 },
    { path: 'photo.jpg', size: 30, compressedSize: 29 },
  ],
  zipSize: HOSTED_TOOL_ZIPPED.bytes + 1,
});
const member = (text: string) => validateRow(text, { kind: 'member' });

test.each<[what: string, findings: readonly Finding[], expected: object]>([
  ['the place of a score', validateGrade('{\n  "score": 2\n}'), { line: 2, column: 12 }],
  ['the place of a number', validateRow('{"a":1,\n "b":9007199254740993}'), { line: 2, column: 6 }],
  ['the place of an error', validateRow('{"a":1,\n  b:2}'), { line: 2, column: 3 }],
  ['the place of an op', validatePatch('{"patch": [\n  {"op": "put"}]}'), { line: 2, column: 10 }],
  ['the place of a key', manifest('{\n  "locations": []\n}'), { line: 2, column: 16 }],
  ['the place of an error in a manifest', manifest('{\n ,}'), { line: 2 }],
  ['the place of a claim', badToken('\n', ''), { path: 'api.token', line: 2, column: 17 }],
  ['no place of a claim in another text', badToken('', ' }'), { line: null, column: null }],
  [
    'the place of a claim with dots, after a byte order mark',
    validateLaunch('\ufeff{"api.token": 7}\u00a0'),
    { path: 'api.token', line: 1, column: 16 },
  ],
  ['no place of a missing claim', validateLaunch('{"api":{}}'), { path: 'api.token', line: null }],
  [
    'what to send in place of a list',
    validateGrade('[]'),
    { rule: 'Errors: malformed body', hint: 'send { "score": … }' },
  ],
  [
    'that an answer is an object',
    validateLocations('[]'),
    {
      message: 'a locations answer must be a JSON object, not an array',
      rule: 'Errors: other rules, 4',
      hint: /"locations"/,
    },
  ],
  [
    'what is cut from a message',
    validateLocations(message(`${'x'.repeat(2000)}and this is lost`)),
    { message: /2016 characters/, hint: /and this is lost/ },
  ],
  [
    'what is cut after wide characters',
    validateLocations(message(`${'😀'.repeat(2000)}and this`)),
    { message: /2008 characters/, hint: /starts with "and this"/ },
  ],
  ['the largest key', member(rowOf(OWN + 1)), { hint: RegExp(`key is "k" with ${OWN - 1} bytes`) }],
  [
    'the start of a long key',
    member(`{"small":1,"${LONG}":2}`),
    { hint: RegExp(`the largest key is "${'k'.repeat(60)}…" with ${OWN + 4} bytes`) },
  ],
  [
    'the levels of a patch',
    validatePatch(replacing(1001)),
    { message: /more than 1003 levels: flatten the nesting/, hint: /reads at most 1003 levels/ },
  ],
  ['the file that is largest in the zip', largest, { hint: /"photo.jpg" with 29 bytes/ }],
  ['the file that is largest unpacked', largest.slice(1), { hint: /"text.txt"/ }],
])('a finding says %s', (_, [finding], expected) => {
  expect(finding).toMatchObject(patterns(expected) as object);
});

test('findings are in the order of the text', () => {
  const findings = validateRow('{"a":1e400,"b":[1e500],"c":1e600}');
  expect(findings.map(({ path }) => path)).toEqual(['/a', '/b/0', '/c']);
});

test.each([
  [0.5, ['row.near_limit']],
  [0.9, []],
])('validateRow warns from --warn-at %d on', (warnAt, expected) => {
  const text = rowOf(Math.floor(OWN * 0.6));
  expect(brief(validateRow(text, { kind: 'member', warnAt }))).toEqual(expected);
});

test.each([
  [1000, ['body.deep']],
  [1001, ['body.syntax']],
])('a patch may hold a row of %i levels', (levels, expected) => {
  expect(brief(validatePatch(replacing(levels)))).toEqual(expected);
});

const add = '{"op":"add","path":"/a","value":1}';

test.each<[string, patch: string, against: string, string[]]>([
  ['a row that is not an object', add, '[1]', ['patch.against_unreadable']],
  ['an invalid patch', '{"op":"put","path":"/a"}', '[', ['patch.op_unknown /patch/0/op']],
  ['an open patch', '{"op":"test","path":"/z"}', '{}', ['patch.op_unsupported /patch/0/op']],
])('simulatePatch reports %s, and applies nothing', (_, patch, against, expected) => {
  const simulation = simulatePatch(wrapped(patch), { against });
  expect(brief(simulation.findings)).toEqual(expected);
  expect(simulation).toMatchObject({ row: undefined, size: undefined });
  expectWhole(simulation.findings);
});

test('simulatePatch returns the row afterwards with its size', () => {
  const { row, size } = simulatePatch(wrapped(add), { against: '{ "b": 1.10 }' });
  expect([row?.text, size]).toEqual(['{"b":1.10,"a":1}', 16]);
});

test.each<[string, string[]]>([
  ['{"locations":[],"name":"x"}', ['hosted_tool.maybe_manifest_key /locations']],
  ['\uFEFF{"locations":[]}', ['hosted_tool.maybe_manifest_key /locations']],
  ['{"name":"x"}', []],
])('a JSON file at the root may be the manifest: %s', (text, expected) => {
  const findings = validatePossibleManifest('tool.json', text);
  expect(brief(findings)).toEqual(expected);
  expectWhole(findings);
});

test.each([
  ['a.json b/c.json', 'a.json'],
  ['tool/a.json tool/b/c.json', 'tool/a.json'],
  ['tool\\a.json ./tool/b.json', 'tool\\a.json ./tool/b.json'],
])('of the files %s these are at the root: %s', (paths, expected) => {
  const files = paths.split(' ').map((path) => ({ path, size: 1 }));
  expect(filesAtRoot(files).map(({ path }) => path)).toEqual(expected.split(' '));
});
