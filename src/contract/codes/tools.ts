import { type CodeRow, type Params, possible, wrong } from './row.ts';

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

/** Errors and warnings about locations answers, hosted tools, and file listings. */
export const TOOL_CODES = {
  // Locations answers
  'locations.not_object': wrong(
    (p) => `a locations answer must be a JSON object, not ${p.found}`,
    LOCATIONS_RULE,
    () => 'answer with { "locations": [ … ] }, grouped_locations or a message',
  ),
  'locations.nothing': wrong(
    () => 'the answer has none of locations, grouped_locations, message',
    LOCATIONS_RULE,
    () => 'answer with at least one of the three; use message if there are no locations',
  ),
  'locations.message_not_text': wrong(
    (p) => `message must be plain text, not ${p.found}`,
    MESSAGE_RULE,
    () => 'send a string',
  ),
  'locations.message_cut': possible(
    (p) => `message has ${p.count} characters; it is truncated at ${p.limit}`,
    MESSAGE_RULE,
    (p) => `the lost part starts with ${JSON.stringify(p.lost)}`,
  ),
  'locations.message_markup': possible(
    (p) => `message contains ${p.found}, which is shown literally: a message is plain text`,
    MESSAGE_RULE,
    () => 'remove the markup',
  ),
  'locations.too_deep': wrong(
    (p) => `grouped_locations is nested ${p.levels} levels deep`,
    NESTING_RULE,
    (p) => `use at most ${p.limit} levels; merge the innermost groups`,
  ),
  'locations.maybe_too_deep': possible(
    (p) =>
      `grouped_locations is nested ${p.levels} levels deep if the innermost objects are groups`,
    NESTING_RULE,
    (p) => `use at most ${p.limit} levels; the innermost objects may be locations, not groups`,
  ),

  // Hosted tools
  'hosted_tool.zip_too_large': wrong(
    (p) => `the zip of ${p.size} bytes exceeds the ${p.label} limit`,
    UPLOAD_RULE,
    (p) => `reduce it to ${p.limit} bytes${largestFile(p)}`,
  ),
  'hosted_tool.zip_maybe_too_large': possible(
    (p) => `the zip of ${p.size} bytes exceeds ${p.label} if a megabyte is 1,000,000 bytes`,
    UPLOAD_RULE,
    (p) => `${p.cautious} bytes is safe under either reading${largestFile(p)}`,
  ),
  'hosted_tool.zip_size_unknown': possible(
    (p) => `the tool has ${p.size} bytes; it is refused if its zip exceeds ${p.label}`,
    UPLOAD_RULE,
    (p) =>
      `check the zip, for which ${p.cautious} bytes are safe under either reading${largestFile(p)}`,
  ),
  'hosted_tool.too_large': wrong(
    (p) => `the ${p.count} files of the tool have ${p.size} bytes, more than the ${p.label} limit`,
    UPLOAD_RULE,
    (p) => `reduce it to ${p.limit} bytes${largestFile(p)}`,
  ),
  'hosted_tool.maybe_too_large': possible(
    (p) => `the ${p.size} bytes of the tool exceed ${p.label} if a megabyte is 1,000,000 bytes`,
    UPLOAD_RULE,
    (p) => `${p.cautious} bytes is safe under either reading${largestFile(p)}`,
  ),
  'hosted_tool.reserved_file': wrong(
    (p) => `${JSON.stringify(p.file)} at the root of the tool is reserved`,
    RESERVED_RULE,
    () => 'rename it, or move it to a folder',
  ),
  'hosted_tool.maybe_reserved_file': possible(
    (p) => `${JSON.stringify(p.file)} is reserved if it counts as a file at the root`,
    RESERVED_RULE,
    () => 'rename it: different letter case or an outer folder may not make a difference',
  ),
  'hosted_tool.zip_unreadable': wrong(
    (p) => `the zip cannot be read: ${p.reason}`,
    UPLOAD_RULE,
    () => 'create the zip again, without a password',
  ),
  'hosted_tool.path_outside': wrong(
    (p) => `${JSON.stringify(p.file)} is an absolute path, or leads out of the tool's folder`,
    UPLOAD_RULE,
    () => 'rename it: every path must be relative to the folder of the tool, without ".."',
  ),
  'hosted_tool.duplicate_name': possible(
    (p) => `the zip has ${p.count} files named ${JSON.stringify(p.file)}`,
    UPLOAD_RULE,
    () => 'create the zip again with one of them; the emulator refuses a zip with both',
  ),
  'hosted_tool.link': possible(
    (p) => `${JSON.stringify(p.file)} is a symbolic link: the contract only mentions files`,
    UPLOAD_RULE,
    () => 'put a copy of the file in its place; the emulator refuses links',
  ),
  'hosted_tool.empty': possible(
    () => 'the tool has no files',
    UPLOAD_RULE,
    () => 'check that it is the right folder; the emulator refuses a tool without files',
  ),
  'hosted_tool.manifest_key': wrong(
    (p) => `the manifest contains ${p.key}, for which it is refused`,
    MANIFEST_RULE,
    () => 'remove it; locations are configured in the dashboard',
  ),
  'hosted_tool.maybe_manifest_key': possible(
    (p) =>
      `${JSON.stringify(p.file)} contains ${p.key}, for which it is refused if it is the manifest`,
    MANIFEST_RULE,
    () => 'the contract does not show the name of the manifest; remove the key if this is it',
  ),
  'hosted_tool.manifest_unreadable': possible(
    (p) => `the manifest cannot be read: ${p.reason}`,
    MANIFEST_RULE,
    () => 'make it one JSON object',
  ),

  // Further inputs
  'patch.against_unreadable': wrong(
    (p) => `the row to test the patch on cannot be read: ${p.reason}`,
    'Resources: each row holds one JSON object',
    () => 'pass the current row',
  ),
  'file.listing_unreadable': wrong(
    (p) => `the listing cannot be read: ${p.reason}`,
    'Resources: file (listing item)',
    () => 'pass an array of { "key", "size" }',
  ),
} satisfies Record<string, CodeRow>;
