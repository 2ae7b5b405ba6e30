import { RESERVED_ROOT_FILE } from '../../src/contract/index.ts';
import type { HostedTool } from '../../src/validator/index.ts';

/** A hosted tool, what is found in it, and a part of the message where it is refused. */
export interface ToolRule {
  readonly name: string;
  readonly tool: HostedTool;
  readonly found?: readonly string[];
  readonly message?: string;
}

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
export const HOSTED_TOOLS: readonly ToolRule[] = [
  { name: 'a tool at the limits', tool: { ...whole(WHOLE.below), zipSize: ZIP.below } },
  { name: 'a manifest', tool: manifest('{"name":"x"}') },
  { name: 'no files', tool: { files: [] }, found: ['hosted_tool.empty (warning)'] },
  {
    name: 'a zip between 25 MB of 1000 and of 1024',
    tool: zipped(ZIP.limit),
    found: ['hosted_tool.zip_maybe_too_large (warning)'],
  },
  {
    name: 'a zip over 25 MB',
    tool: zipped(ZIP.limit + 1),
    found: ['hosted_tool.zip_too_large'],
    message: 'exceeds the 25 MB limit',
  },
  {
    name: 'a tool between 50 MB of 1000 and of 1024',
    tool: whole(WHOLE.limit),
    found: ['hosted_tool.maybe_too_large (warning)'],
  },
  {
    name: 'a tool over 50 MB',
    tool: whole(WHOLE.limit + 1),
    found: ['hosted_tool.too_large'],
    message: 'more than the 50 MB limit',
  },
  {
    name: 'a folder that may exceed the limit when it is zipped',
    tool: { files: [index, { path: 'a', size: ZIP.below }] },
    found: ['hosted_tool.zip_size_unknown (warning)'],
  },
  {
    name: 'a folder that cannot exceed the limit when it is zipped',
    tool: { files: [{ path: 'a', size: ZIP.below }] },
  },
  {
    name: 'a zip that cannot be read',
    tool: { files: [], zipSize: 5, fault: 'its end is missing' },
    found: ['hosted_tool.zip_unreadable'],
  },
  {
    name: 'a manifest with locations',
    tool: manifest('{"locations":[]}'),
    found: [`${KEY} /locations`],
    message: 'contains locations',
  },
  {
    name: 'a manifest with grouped_locations',
    tool: manifest('{"grouped_locations":{}}'),
    found: [`${KEY} /grouped_locations`],
    message: 'contains grouped_locations',
  },
  {
    name: 'a manifest with both keys',
    tool: manifest('{"grouped_locations":1,"locations":null}'),
    found: [`${KEY} /locations`, `${KEY} /grouped_locations`],
  },
  {
    name: 'a manifest with a byte order mark and locations',
    tool: manifest('\uFEFF{"locations":[]}'),
    found: [`${UNREADABLE} (warning)`, `${KEY} /locations`],
  },
  {
    name: 'a manifest that is not JSON',
    tool: manifest('name: x'),
    found: [`${UNREADABLE} (warning)`],
  },
  {
    name: 'a manifest that is an array',
    tool: manifest('[]'),
    found: [`${UNREADABLE} (warning)`],
  },
  {
    name: 'a manifest with a name twice',
    tool: manifest('{"a":1,"a":2}'),
    found: ['body.duplicate_name /a (warning)'],
  },
  {
    name: 'a symbolic link',
    tool: { files: [index, { path: 'a/logo.png', size: 4, isLink: true }] },
    found: ['hosted_tool.link a/logo.png (warning)'],
  },
  {
    name: 'paths outside the folder',
    tool: paths('/a', 'C:/b', 'c/../../d', '..\\e', 'a..b/c:d'),
    found: ['/a', 'C:/b', 'c/../../d', '../e'].map((path) => `hosted_tool.path_outside ${path}`),
  },
  {
    name: 'files with the same name',
    tool: paths('index.html', 'a\\b', 'a/b', 'index.html', 'index.html'),
    found: ['index.html', 'a/b'].map((path) => `hosted_tool.duplicate_name ${path} (warning)`),
  },
  {
    name: 'the reserved file at the root',
    tool: paths(RESERVED_ROOT_FILE),
    found: [RESERVED],
    message: 'is reserved',
  },
  {
    name: 'the reserved file as ./',
    tool: paths('index.html', `./${RESERVED_ROOT_FILE}`),
    found: [RESERVED],
  },
  {
    name: 'the reserved file in capitals',
    tool: paths('a.html', RESERVED_ROOT_FILE.toUpperCase()),
    found: maybeReserved(RESERVED_ROOT_FILE.toUpperCase()),
  },
  ...['/', '\\'].map((slash) => ({
    name: `the reserved file in the only folder, with ${slash}`,
    tool: paths(`tool${slash}index.html`, `tool${slash}${RESERVED_ROOT_FILE}`),
    found: [`hosted_tool.reserved_file tool/${RESERVED_ROOT_FILE}`],
  })),
  {
    name: 'the reserved file in a folder of several',
    tool: paths('index.html', `tool/${RESERVED_ROOT_FILE}`, `my-${RESERVED_ROOT_FILE}`),
  },
  {
    name: 'the reserved file deep in the only folder',
    tool: paths('tool/a', `tool/deep/${RESERVED_ROOT_FILE}`),
  },
];
