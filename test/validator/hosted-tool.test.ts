import { describe, expect, test } from 'vitest';
import {
  filesAtRoot,
  HOSTED_TOOL_WHOLE,
  HOSTED_TOOL_ZIPPED,
  RESERVED_ROOT_FILE,
} from '../../src/contract/index.ts';
import {
  type HostedTool,
  validateHostedTool,
  validatePossibleManifest,
} from '../../src/validator/index.ts';
import { brief, expectWhole } from './findings.ts';

const index = { path: 'index.html', size: 10 };
const zip = HOSTED_TOOL_ZIPPED;
const whole = HOSTED_TOOL_WHOLE;

test.each<[string, HostedTool, string[]]>([
  ['clean', { files: [index], zipSize: 5, manifest: '{"name":"x"}' }, []],
  ['empty', { files: [] }, ['hosted_tool.empty']],
  [
    'a zip that is too large',
    { files: [index], zipSize: zip.bytes + 1 },
    ['hosted_tool.zip_too_large'],
  ],
  [
    'a zip at the limit',
    { files: [index], zipSize: zip.bytes },
    ['hosted_tool.zip_maybe_too_large'],
  ],
  ['a zip at the cautious limit', { files: [index], zipSize: zip.cautiousBytes }, []],
  [
    'a tool that is too large',
    {
      files: [
        { path: 'a', size: whole.bytes },
        { path: 'b', size: 1 },
      ],
    },
    ['hosted_tool.too_large'],
  ],
  [
    'a tool at the limit',
    { files: [{ path: 'a', size: whole.bytes }], zipSize: 5 },
    ['hosted_tool.maybe_too_large'],
  ],
  [
    'a tool at the cautious limit',
    { files: [{ path: 'a', size: whole.cautiousBytes }], zipSize: 5 },
    [],
  ],
  [
    'a folder that may exceed the limit when it is zipped',
    { files: [index, { path: 'a', size: zip.cautiousBytes }] },
    ['hosted_tool.zip_size_unknown'],
  ],
  [
    'a folder that cannot exceed the limit when it is zipped',
    { files: [{ path: 'a', size: zip.cautiousBytes }] },
    [],
  ],
  [
    'a zip that cannot be read',
    { files: [], zipSize: 5, fault: 'its end is missing' },
    ['hosted_tool.zip_unreadable'],
  ],
  [
    'a manifest with locations',
    { files: [index], manifest: '{"locations":[]}' },
    ['hosted_tool.manifest_key /locations'],
  ],
  [
    'a manifest with both keys',
    { files: [index], manifest: '{"grouped_locations":1,"locations":null}' },
    ['hosted_tool.manifest_key /locations', 'hosted_tool.manifest_key /grouped_locations'],
  ],
  [
    'a symbolic link',
    { files: [index, { path: 'a/logo.png', size: 4, isLink: true }] },
    ['hosted_tool.link a/logo.png'],
  ],
  [
    'paths outside the folder',
    { files: ['/a', 'C:/b', 'c/../../d', '..\\e', 'a..b/c:d'].map((path) => ({ path, size: 1 })) },
    [
      'hosted_tool.path_outside /a',
      'hosted_tool.path_outside C:/b',
      'hosted_tool.path_outside c/../../d',
      'hosted_tool.path_outside ../e',
    ],
  ],
  [
    'files with the same name',
    { files: [index, { path: 'a\\b', size: 1 }, { path: 'a/b', size: 1 }, index, index] },
    ['hosted_tool.duplicate_name index.html', 'hosted_tool.duplicate_name a/b'],
  ],
  [
    'a manifest with a byte order mark and locations',
    { files: [index], manifest: '\uFEFF{"locations":[]}' },
    ['hosted_tool.manifest_unreadable', 'hosted_tool.manifest_key /locations'],
  ],
  [
    'a manifest that is not JSON',
    { files: [index], manifest: 'name: x' },
    ['hosted_tool.manifest_unreadable'],
  ],
  [
    'a manifest that is an array',
    { files: [index], manifest: '[]' },
    ['hosted_tool.manifest_unreadable'],
  ],
  [
    'a manifest with a duplicate name',
    { files: [index], manifest: '{"a":1,"a":2}' },
    ['body.duplicate_name /a'],
  ],
])('validateHostedTool checks %s', (_, tool, expected) => {
  const findings = validateHostedTool(tool);
  expect(brief(findings)).toEqual(expected);
  expectWhole(findings);
});

describe('validateHostedTool finds the reserved file', () => {
  const reserved = 'hosted_tool.reserved_file';
  const maybe = 'hosted_tool.maybe_reserved_file';

  test.each<[string[], string | undefined]>([
    [[RESERVED_ROOT_FILE], reserved],
    [['index.html', `./${RESERVED_ROOT_FILE}`], reserved],
    [['a.html', RESERVED_ROOT_FILE.toUpperCase()], maybe],
    [['tool/index.html', `tool/${RESERVED_ROOT_FILE}`], maybe],
    [['tool\\index.html', `tool\\${RESERVED_ROOT_FILE}`], maybe],
    [['index.html', `tool/${RESERVED_ROOT_FILE}`], undefined],
    [['tool/a', `tool/deep/${RESERVED_ROOT_FILE}`], undefined],
    [[`my-${RESERVED_ROOT_FILE}`], undefined],
  ])('in the files %j', (paths, code) => {
    const findings = validateHostedTool({ files: paths.map((path) => ({ path, size: 1 })) });
    expect(findings.map((finding) => finding.code)).toEqual(code === undefined ? [] : [code]);
    expectWhole(findings);
  });
});

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
