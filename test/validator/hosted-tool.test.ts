import { describe, expect, test } from 'vitest';
import { filesAtRoot, HOSTED_TOOL_WHOLE, HOSTED_TOOL_ZIPPED } from '../../src/contract/index.ts';
import { validateHostedTool, validatePossibleManifest } from '../../src/validator/index.ts';
import { brief, expectWhole } from './findings.ts';

const index = { path: 'index.html', size: 10 };
const zip = HOSTED_TOOL_ZIPPED;
const whole = HOSTED_TOOL_WHOLE;

test('validateHostedTool names the largest file: by its unpacked size for the tool, by its packed size for the zip', () => {
  const files = [
    { path: 'text.txt', size: whole.bytes, compressedSize: 10 },
    { path: 'photo.jpg', size: 30, compressedSize: 29 },
  ];
  const [zipped, unpacked] = validateHostedTool({ files, zipSize: zip.bytes + 1 });
  expect(zipped?.hint).toContain('"photo.jpg" with 29 bytes');
  expect(unpacked?.hint).toContain('"text.txt"');
});

test('validateHostedTool gives the position of a key in the manifest', () => {
  const manifest = '{\n  "locations": []\n}';
  expect(validateHostedTool({ files: [index], manifest })[0]).toMatchObject({
    line: 2,
    column: 16,
  });
  expect(validateHostedTool({ files: [index], manifest: '{\n ,}' })[0]).toMatchObject({ line: 2 });
});

describe('JSON files at the root, which may be the manifest', () => {
  test.each<[string, string[]]>([
    ['{"locations":[],"name":"x"}', ['hosted_tool.maybe_manifest_key /locations']],
    ['\uFEFF{"locations":[]}', ['hosted_tool.maybe_manifest_key /locations']],
    ['{"name":"x"}', []],
    ['[{"locations":[]}]', []],
    ['no JSON', []],
  ])('are checked: %s', (text, expected) => {
    const findings = validatePossibleManifest('tool.json', text);
    expect(brief(findings)).toEqual(expected);
    expectWhole(findings);
  });

  test.each<[string[], string[]]>([
    [['a.json', 'b/c.json'], ['a.json']],
    [['tool/a.json', 'tool/b/c.json'], ['tool/a.json']],
    [
      ['tool\\a.json', './tool/b.json'],
      ['tool\\a.json', './tool/b.json'],
    ],
    [[], []],
  ])('are found: %j gives %j', (paths, expected) => {
    const files = paths.map((path) => ({ path, size: 1 }));
    expect(filesAtRoot(files).map(({ path }) => path)).toEqual(expected);
  });
});
