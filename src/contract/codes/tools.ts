import {
  HOSTED_TOOL_WHOLE,
  HOSTED_TOOL_ZIPPED,
  LOCATIONS_MESSAGE_MAX_CHARACTERS,
  RESERVED_ROOT_FILE,
} from '../limits.ts';
import { type Example, type Params, possible, wrong } from './code-row.ts';

const LOCATIONS_RULE = 'Errors: other rules, 4';
const MESSAGE_RULE = 'Limits: locations message';
const NESTING_RULE = 'Limits: grouped locations';
const UPLOAD_RULE = 'Limits: hosted tool upload';
const RESERVED_RULE = 'Versioning: contract change of 2026-10-05';
const MANIFEST_RULE = 'Versioning: contract change of 2026-10-11';

const largestFile = (p: Params): string =>
  p.largest === undefined
    ? ''
    : `; the largest file is ${JSON.stringify(p.largest)} with ${p.largestSize} bytes`;

const locations = (text: string): Example => ({ kind: 'locations', given: text, text });

/** Groups, one inside the other. */
function nested(levels: number, innermost: string): Example {
  const groups = `${'[{"grouped_locations":'.repeat(levels)}${innermost}${'}]'.repeat(levels)}`;
  const given = `{"grouped_locations": …} of ${levels} groups, each in the one before`;
  return { kind: 'locations', given, text: `{"grouped_locations":${groups}}` };
}

const LONG = LOCATIONS_MESSAGE_MAX_CHARACTERS + 10;

const index = { path: 'index.html', size: 512 };

const tool = (
  given: string,
  more: Partial<Extract<Example, { kind: 'tool' }>['tool']>,
): Example => ({ kind: 'tool', given, tool: { files: [index], ...more } });

const zip = (size: number): Example => tool(`a zip of ${size} bytes`, { zipSize: size });

const folder = (size: number): Example =>
  tool(`a folder with a video of ${size} bytes`, { files: [{ path: 'tour.mp4', size }] });

const manifest = (text: string): Example => tool(`manifest.json: ${text}`, { manifest: text });

/** Errors and warnings about locations answers, hosted tools, and file listings. */
export const TOOL_CODES = {
  // Locations answers
  'locations.not_object': wrong(
    (p) => `a locations answer must be a JSON object, not ${p.found}`,
    LOCATIONS_RULE,
    'answer with { "locations": [ … ] }, grouped_locations or a message',
    locations('[{"id": "essay"}]'),
  ),
  'locations.nothing': wrong(
    'the answer has none of locations, grouped_locations, message',
    LOCATIONS_RULE,
    'answer with at least one of the three; use message if there are no locations',
    locations('{"places": []}'),
  ),
  'locations.message_not_text': wrong(
    (p) => `message must be plain text, not ${p.found}`,
    MESSAGE_RULE,
    'send a string',
    locations('{"message": {"en": "Nothing here yet"}}'),
  ),
  'locations.message_cut': possible(
    (p) => `message has ${p.count} characters; it is truncated at ${p.limit}`,
    MESSAGE_RULE,
    (p) => `the lost part starts with ${JSON.stringify(p.lost)}`,
    {
      kind: 'locations',
      given: `{"message": "…"} of ${LONG} characters`,
      text: JSON.stringify({ message: 'Nothing here yet. '.repeat(LONG).slice(0, LONG) }),
    },
  ),
  'locations.message_markup': possible(
    (p) => `message contains ${p.found}, which is shown literally: a message is plain text`,
    MESSAGE_RULE,
    'remove the markup',
    locations('{"message": "Nothing <b>here</b> yet"}'),
  ),
  'locations.too_deep': wrong(
    (p) => `grouped_locations is nested ${p.levels} levels deep`,
    NESTING_RULE,
    (p) => `use at most ${p.limit} levels; merge the innermost groups`,
    nested(6, '[]'),
  ),
  'locations.maybe_too_deep': possible(
    (p) =>
      `grouped_locations is nested ${p.levels} levels deep if the innermost objects are groups`,
    NESTING_RULE,
    (p) => `use at most ${p.limit} levels; the innermost objects may be locations, not groups`,
    nested(5, '[{"id": "essay"}]'),
  ),

  // Hosted tools
  'hosted_tool.zip_too_large': wrong(
    (p) => `the zip of ${p.size} bytes exceeds the ${p.label} limit`,
    UPLOAD_RULE,
    (p) => `reduce it to ${p.limit} bytes${largestFile(p)}`,
    zip(HOSTED_TOOL_ZIPPED.bytes + 1),
  ),
  'hosted_tool.zip_maybe_too_large': possible(
    (p) => `the zip of ${p.size} bytes exceeds ${p.label} if a megabyte is 1,000,000 bytes`,
    UPLOAD_RULE,
    (p) => `${p.cautious} bytes is safe under either reading${largestFile(p)}`,
    zip(HOSTED_TOOL_ZIPPED.cautiousBytes + 1),
  ),
  'hosted_tool.zip_size_unknown': possible(
    (p) => `the tool has ${p.size} bytes; it is refused if its zip exceeds ${p.label}`,
    UPLOAD_RULE,
    (p) =>
      `check the zip, for which ${p.cautious} bytes are safe under either reading${largestFile(p)}`,
    folder(HOSTED_TOOL_ZIPPED.cautiousBytes + 1),
  ),
  'hosted_tool.too_large': wrong(
    (p) => `the ${p.count} files of the tool have ${p.size} bytes, more than the ${p.label} limit`,
    UPLOAD_RULE,
    (p) => `reduce it to ${p.limit} bytes${largestFile(p)}`,
    folder(HOSTED_TOOL_WHOLE.bytes + 1),
  ),
  'hosted_tool.maybe_too_large': possible(
    (p) => `the ${p.size} bytes of the tool exceed ${p.label} if a megabyte is 1,000,000 bytes`,
    UPLOAD_RULE,
    (p) => `${p.cautious} bytes is safe under either reading${largestFile(p)}`,
    folder(HOSTED_TOOL_WHOLE.cautiousBytes + 1),
  ),
  'hosted_tool.reserved_file': wrong(
    (p) => `${JSON.stringify(p.file)} at the root of the tool is reserved`,
    RESERVED_RULE,
    'rename it, or move it to a folder',
    tool(`a folder with index.html and ${RESERVED_ROOT_FILE}`, {
      files: [index, { path: RESERVED_ROOT_FILE, size: 2 }],
    }),
  ),
  'hosted_tool.maybe_reserved_file': possible(
    (p) => `${JSON.stringify(p.file)} is reserved if it counts as a file at the root`,
    RESERVED_RULE,
    'rename it: different letter case or an outer folder may not make a difference',
    tool(`a zip with nothing but tool/${RESERVED_ROOT_FILE}`, {
      files: [{ path: `tool/${RESERVED_ROOT_FILE}`, size: 2 }],
    }),
  ),
  'hosted_tool.zip_unreadable': wrong(
    (p) => `the zip cannot be read: ${p.reason}`,
    UPLOAD_RULE,
    'create the zip again, without a password',
    tool('a zip that was cut short', {
      files: [],
      fault: 'the end of its directory is missing',
    }),
  ),
  'hosted_tool.path_outside': wrong(
    (p) => `${JSON.stringify(p.file)} is an absolute path, or has .. in it`,
    UPLOAD_RULE,
    'rename it: every path must be relative to the folder of the tool, without ".."',
    tool('a zip with index.html and ../logo.png', {
      files: [index, { path: '../logo.png', size: 2 }],
    }),
  ),
  'hosted_tool.duplicate_name': possible(
    (p) => `the zip has ${p.count} files named ${JSON.stringify(p.file)}`,
    UPLOAD_RULE,
    'create the zip again with one of them; the emulator refuses a zip with both',
    tool('a zip with index.html twice', { files: [index, index] }),
  ),
  'hosted_tool.link': possible(
    (p) => `${JSON.stringify(p.file)} is a symbolic link: the contract only mentions files`,
    UPLOAD_RULE,
    'put a copy of the file in its place; the emulator refuses links',
    tool('a folder with index.html and a link logo.png', {
      files: [index, { path: 'logo.png', size: 2, isLink: true }],
    }),
  ),
  'hosted_tool.empty': possible(
    'the tool has no files',
    UPLOAD_RULE,
    'check that it is the right folder; the emulator refuses a tool without files',
    tool('an empty folder', { files: [] }),
  ),
  'hosted_tool.manifest_key': wrong(
    (p) => `the manifest contains ${p.key}, for which it is refused`,
    MANIFEST_RULE,
    'remove it; locations are configured in the dashboard',
    manifest('{"name": "Essay", "locations": []}'),
  ),
  'hosted_tool.maybe_manifest_key': possible(
    (p) =>
      `${JSON.stringify(p.file)} contains ${p.key}, for which it is refused if it is the manifest`,
    MANIFEST_RULE,
    'the contract does not show the name of the manifest; remove the key if this is it',
    {
      kind: 'manifest',
      given: 'tool.json: {"name": "Essay", "locations": []}',
      name: 'tool.json',
      text: '{"name": "Essay", "locations": []}',
    },
  ),
  'hosted_tool.manifest_unreadable': possible(
    (p) => `the manifest cannot be read: ${p.reason}`,
    MANIFEST_RULE,
    'make it one JSON object',
    manifest('name: Essay'),
  ),

  // Further inputs
  'patch.against_unreadable': wrong(
    (p) => `the row to test the patch on cannot be read: ${p.reason}`,
    'Resources: each row holds one JSON object',
    'pass the current row',
    {
      kind: 'patch',
      given: '{"patch": [{"op": "remove", "path": "/a"}]} on the row [1, 2]',
      text: '{"patch":[{"op": "remove", "path": "/a"}]}',
      against: '[1, 2]',
    },
  ),
  'file.listing_unreadable': wrong(
    (p) => `the listing cannot be read: ${p.reason}`,
    'Resources: file (listing item)',
    'pass an array of { "key", "size" }',
    { kind: 'file', given: '--with of {"logo.png": 2048}', listing: '{"logo.png": 2048}' },
  ),
};

const fault = (p: Params): string => String(p.fault);
const hint = (p: Params): string => String(p.hint);

const SEED = '{"tools": [{"id": "quiz", "status": "asleep"}], "courses": [{"id": "biology"}]}';
const PROJECT = '{"emulator": {"sed": "example"}}';

/** What is wrong with a document of lectern's own; its schema has the words. */
export const DOCUMENT_CODES = {
  'seed.invalid': wrong(fault, 'seed of the emulator', hint, {
    kind: 'seed',
    given: SEED,
    text: SEED,
  }),
  'project.invalid': wrong(fault, 'project file', hint, {
    kind: 'project',
    given: PROJECT,
    text: PROJECT,
  }),
};
