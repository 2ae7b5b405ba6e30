import {
  HOSTED_TOOL_WHOLE,
  HOSTED_TOOL_ZIPPED,
  LOCATIONS_MESSAGE_MAX_CHARACTERS,
  RESERVED_ROOT_FILE,
} from '../../../contract/index.ts';
import {
  type HostedTool,
  validateHostedTool,
  validateLocations,
  validatePossibleManifest,
} from '../../../validator/index.ts';
import { type Example, type Examples, byValidator } from './example.ts';

const locations = (text: string): Example => byValidator(text, () => validateLocations(text));

/** Groups, one inside the other. */
function nested(levels: number, innermost: string): Example {
  const groups = `${'[{"grouped_locations":'.repeat(levels)}${innermost}${'}]'.repeat(levels)}`;
  return byValidator(`{"grouped_locations": …} of ${levels} groups, each in the one before`, () =>
    validateLocations(`{"grouped_locations":${groups}}`),
  );
}

const LONG = LOCATIONS_MESSAGE_MAX_CHARACTERS + 10;

export const LOCATIONS_EXAMPLES: Examples<'locations'> = {
  'locations.not_object': locations('[{"id": "essay"}]'),
  'locations.nothing': locations('{"places": []}'),
  'locations.message_not_text': locations('{"message": {"en": "Nothing here yet"}}'),
  'locations.message_cut': byValidator(`{"message": "…"} of ${LONG} characters`, () =>
    validateLocations(
      JSON.stringify({ message: 'Nothing here yet. '.repeat(LONG).slice(0, LONG) }),
    ),
  ),
  'locations.message_markup': locations('{"message": "Nothing <b>here</b> yet"}'),
  'locations.too_deep': nested(6, '[]'),
  'locations.maybe_too_deep': nested(5, '[{"id": "essay"}]'),
};

const index = { path: 'index.html', size: 512 };

const tool = (given: string, more: Partial<HostedTool>): Example =>
  byValidator(given, () => validateHostedTool({ files: [index], ...more }));

const zip = (size: number): Example => tool(`a zip of ${size} bytes`, { zipSize: size });

const folder = (size: number): Example =>
  tool(`a folder with a video of ${size} bytes`, { files: [{ path: 'tour.mp4', size }] });

const manifest = (text: string): Example => tool(`manifest.json: ${text}`, { manifest: text });

export const HOSTED_TOOL_EXAMPLES: Examples<'hosted_tool'> = {
  'hosted_tool.zip_too_large': zip(HOSTED_TOOL_ZIPPED.bytes + 1),
  'hosted_tool.zip_maybe_too_large': zip(HOSTED_TOOL_ZIPPED.cautiousBytes + 1),
  'hosted_tool.zip_size_unknown': folder(HOSTED_TOOL_ZIPPED.cautiousBytes + 1),
  'hosted_tool.too_large': folder(HOSTED_TOOL_WHOLE.bytes + 1),
  'hosted_tool.maybe_too_large': folder(HOSTED_TOOL_WHOLE.cautiousBytes + 1),
  'hosted_tool.reserved_file': tool(`a folder with index.html and ${RESERVED_ROOT_FILE}`, {
    files: [index, { path: RESERVED_ROOT_FILE, size: 2 }],
  }),
  'hosted_tool.maybe_reserved_file': tool(`a zip with nothing but tool/${RESERVED_ROOT_FILE}`, {
    files: [{ path: `tool/${RESERVED_ROOT_FILE}`, size: 2 }],
  }),
  'hosted_tool.zip_unreadable': tool('a zip that was cut short', {
    files: [],
    fault: 'the end of its directory is missing',
  }),
  'hosted_tool.path_outside': tool('a zip with index.html and ../logo.png', {
    files: [index, { path: '../logo.png', size: 2 }],
  }),
  'hosted_tool.duplicate_name': tool('a zip with index.html twice', { files: [index, index] }),
  'hosted_tool.link': tool('a folder with index.html and a link logo.png', {
    files: [index, { path: 'logo.png', size: 2, isLink: true }],
  }),
  'hosted_tool.empty': tool('an empty folder', { files: [] }),
  'hosted_tool.manifest_key': manifest('{"name": "Essay", "locations": []}'),
  'hosted_tool.maybe_manifest_key': byValidator(
    'tool.json: {"name": "Essay", "locations": []}',
    () => validatePossibleManifest('tool.json', '{"name": "Essay", "locations": []}'),
  ),
  'hosted_tool.manifest_unreadable': manifest('name: Essay'),
};
