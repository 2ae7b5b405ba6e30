import { RESERVED_ROOT_FILE } from '../../src/contract/index.ts';
import type { HostedTool } from '../../src/validator/index.ts';

/** A hosted tool, what is found in it, and a part of the message where it is refused. */
type ToolRow = readonly [
  name: string,
  tool: HostedTool,
  found?: string | readonly string[],
  message?: string,
];

const index = { path: 'index.html', size: 10 };
const ZIP = { below: 25_000_000, limit: 26_214_400 };
const WHOLE = { below: 50_000_000, limit: 52_428_800 };

const zipped = (zipSize: number): HostedTool => ({ files: [index], zipSize });
const whole = (size: number): HostedTool => ({
  files: [index, { path: 'deep/a', size: size - 10 }],
  zipSize: 5,
});
const manifest = (text: string): HostedTool => ({ files: [index], manifest: text });
const paths = (...names: string[]): HostedTool => ({
  files: names.map((path) => ({ path, size: 1 })),
});

const UNREADABLE = 'hosted_tool.manifest_unreadable';
const KEY = 'hosted_tool.manifest_key';
const RESERVED = `hosted_tool.reserved_file ${RESERVED_ROOT_FILE}`;
const maybeReserved = (path: string): string[] => [
  `hosted_tool.maybe_reserved_file ${path} (warning)`,
];

/** "Limits": hosted tool upload; "Versioning": 2026-10-05 and 2026-10-11. */
const ROWS: readonly ToolRow[] = [
  ['a tool at the limits', { ...whole(WHOLE.below), zipSize: ZIP.below }],
  ['a manifest', manifest('{"name":"x"}')],
  ['no files', { files: [] }, 'hosted_tool.empty (warning)'],
  [
    'a zip between 25 MB of 1000 and of 1024',
    zipped(ZIP.limit),
    'hosted_tool.zip_maybe_too_large (warning)',
  ],
  [
    'a zip over 25 MB',
    zipped(ZIP.limit + 1),
    'hosted_tool.zip_too_large',
    'exceeds the 25 MB limit',
  ],
  [
    'a tool between 50 MB of 1000 and of 1024',
    whole(WHOLE.limit),
    'hosted_tool.maybe_too_large (warning)',
  ],
  [
    'a tool over 50 MB',
    whole(WHOLE.limit + 1),
    'hosted_tool.too_large',
    'more than the 50 MB limit',
  ],
  [
    'a folder that may exceed the limit when it is zipped',
    { files: [index, { path: 'a', size: ZIP.below }] },
    'hosted_tool.zip_size_unknown (warning)',
  ],
  [
    'a folder that cannot exceed the limit when it is zipped',
    { files: [{ path: 'a', size: ZIP.below }] },
  ],
  [
    'a zip that cannot be read',
    { files: [], zipSize: 5, fault: 'its end is missing' },
    'hosted_tool.zip_unreadable',
  ],
  [
    'a manifest with locations',
    manifest('{"locations":[]}'),
    `${KEY} /locations`,
    'contains locations',
  ],
  [
    'a manifest with grouped_locations',
    manifest('{"grouped_locations":{}}'),
    `${KEY} /grouped_locations`,
    'contains grouped_locations',
  ],
  [
    'a manifest with both keys',
    manifest('{"grouped_locations":1,"locations":null}'),
    [`${KEY} /locations`, `${KEY} /grouped_locations`],
  ],
  [
    'a manifest with a byte order mark and locations',
    manifest('\uFEFF{"locations":[]}'),
    [`${UNREADABLE} (warning)`, `${KEY} /locations`],
  ],
  ['a manifest that is not JSON', manifest('name: x'), `${UNREADABLE} (warning)`],
  ['a manifest that is an array', manifest('[]'), `${UNREADABLE} (warning)`],
  ['a manifest with a name twice', manifest('{"a":1,"a":2}'), 'body.duplicate_name /a (warning)'],
  [
    'a symbolic link',
    { files: [index, { path: 'a/logo.png', size: 4, isLink: true }] },
    'hosted_tool.link a/logo.png (warning)',
  ],
  [
    'paths outside the folder',
    paths('/a', 'C:/b', 'c/../../d', '..\\e', 'a..b/c:d'),
    ['/a', 'C:/b', 'c/../../d', '../e'].map((path) => `hosted_tool.path_outside ${path}`),
  ],
  [
    'files with the same name',
    paths('index.html', 'a\\b', 'a/b', 'index.html', 'index.html'),
    ['index.html', 'a/b'].map((path) => `hosted_tool.duplicate_name ${path} (warning)`),
  ],
  ['the reserved file at the root', paths(RESERVED_ROOT_FILE), RESERVED, 'is reserved'],
  ['the reserved file as ./', paths('index.html', `./${RESERVED_ROOT_FILE}`), RESERVED],
  [
    'the reserved file in capitals',
    paths('a.html', RESERVED_ROOT_FILE.toUpperCase()),
    maybeReserved(RESERVED_ROOT_FILE.toUpperCase()),
  ],
  ...['/', '\\'].map((slash): ToolRow => [
    `the reserved file in the only folder, with ${slash}`,
    paths(`tool${slash}index.html`, `tool${slash}${RESERVED_ROOT_FILE}`),
    `hosted_tool.reserved_file tool/${RESERVED_ROOT_FILE}`,
  ]),
  [
    'the reserved file in a folder of several',
    paths('index.html', `tool/${RESERVED_ROOT_FILE}`, `my-${RESERVED_ROOT_FILE}`),
  ],
  ['the reserved file deep in the only folder', paths('tool/a', `tool/deep/${RESERVED_ROOT_FILE}`)],
];

export const HOSTED_TOOLS = ROWS.map(([name, tool, found = [], message]) => {
  return { name, tool, found: [found].flat(), message };
});
