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

/** What can be wrong with a locations answer, a hosted tool's folder, or a listing of files. */
export const TOOL_CODES = {
  // Locations answers
  'locations.not_object': wrong(
    (p) => `a locations answer must be a JSON object, not ${p.found}`,
    LOCATIONS_RULE,
    () => 'answer with { "locations": [ … ] }, grouped_locations or a message',
  ),
  'locations.nothing': wrong(
    () => 'the answer names none of locations, grouped_locations, message',
    LOCATIONS_RULE,
    () => 'answer with at least one of the three; a message says why there are no locations',
  ),
  'locations.message_not_text': wrong(
    (p) => `message must be plain text, not ${p.found}`,
    MESSAGE_RULE,
    () => 'send a string',
  ),
  'locations.message_cut': possible(
    (p) => `message has ${p.count} characters; it is cut after ${p.limit}`,
    MESSAGE_RULE,
    (p) => `what would be lost begins with ${JSON.stringify(p.lost)}`,
  ),
  'locations.message_markup': possible(
    (p) => `message holds ${p.found}, which is shown as it is: a message is plain text`,
    MESSAGE_RULE,
    () => 'leave the markup out',
  ),
  'locations.too_deep': wrong(
    (p) => `grouped_locations is nested ${p.levels} levels deep`,
    NESTING_RULE,
    (p) => `at most ${p.limit} levels; join the innermost groups`,
  ),
  'locations.maybe_too_deep': possible(
    (p) =>
      `grouped_locations is nested ${p.levels} levels deep if the innermost objects are groups`,
    NESTING_RULE,
    (p) => `at most ${p.limit} levels; the innermost may be locations, not groups`,
  ),

  // Hosted tools
  'hosted_tool.zip_too_large': wrong(
    (p) => `the zip of ${p.size} bytes is over the ${p.label} limit`,
    UPLOAD_RULE,
    (p) => `shrink it to ${p.limit} bytes${largestFile(p)}`,
  ),
  'hosted_tool.zip_maybe_too_large': possible(
    (p) => `the zip of ${p.size} bytes is over ${p.label} if a megabyte is 1,000,000 bytes`,
    UPLOAD_RULE,
    (p) => `${p.cautious} bytes is safe under either reading${largestFile(p)}`,
  ),
  'hosted_tool.zip_size_unknown': possible(
    (p) => `the tool's ${p.size} bytes are refused if its zip is over ${p.label}`,
    UPLOAD_RULE,
    (p) =>
      `pack it and check the zip, of which ${p.cautious} bytes are safe under either reading${largestFile(p)}`,
  ),
  'hosted_tool.too_large': wrong(
    (p) => `the tool's ${p.count} files are ${p.size} bytes, over the ${p.label} limit of a tool`,
    UPLOAD_RULE,
    (p) => `shrink it to ${p.limit} bytes${largestFile(p)}`,
  ),
  'hosted_tool.maybe_too_large': possible(
    (p) => `the tool's ${p.size} bytes are over ${p.label} if a megabyte is 1,000,000 bytes`,
    UPLOAD_RULE,
    (p) => `${p.cautious} bytes is safe under either reading${largestFile(p)}`,
  ),
  'hosted_tool.reserved_file': wrong(
    (p) => `${JSON.stringify(p.file)} at the root of the tool is reserved`,
    RESERVED_RULE,
    () => 'rename it, or put it in a folder',
  ),
  'hosted_tool.maybe_reserved_file': possible(
    (p) => `${JSON.stringify(p.file)} is reserved if it counts as a file at the root`,
    RESERVED_RULE,
    () => 'rename it: its letter case or the folder around the tool may not save it',
  ),
  'hosted_tool.zip_unreadable': wrong(
    (p) => `the zip cannot be read: ${p.reason}`,
    UPLOAD_RULE,
    () => 'pack the folder again, as a plain zip without a password',
  ),
  'hosted_tool.link': possible(
    (p) => `${JSON.stringify(p.file)} is a symbolic link: the contract tells of files alone`,
    UPLOAD_RULE,
    () => 'put a copy of the file in its place; the emulator refuses links',
  ),
  'hosted_tool.empty': possible(
    () => 'the tool has no files',
    UPLOAD_RULE,
    () => 'is this the right folder?',
  ),
  'hosted_tool.manifest_key': wrong(
    (p) => `the manifest carries ${p.key}: such a manifest is refused`,
    MANIFEST_RULE,
    () => 'take it out; locations are configured in the dashboard',
  ),
  'hosted_tool.maybe_manifest_key': possible(
    (p) => `${JSON.stringify(p.file)} carries ${p.key}: it is refused if it is the manifest`,
    MANIFEST_RULE,
    () => 'the contract does not show the name of the manifest; take the key out if this is it',
  ),
  'hosted_tool.manifest_unreadable': possible(
    (p) => `the manifest cannot be read: ${p.reason}`,
    MANIFEST_RULE,
    () => 'write it as one JSON object',
  ),

  // What is handed in beside a payload
  'patch.against_unreadable': wrong(
    (p) => `the row to simulate against cannot be read: ${p.reason}`,
    'Resources: each row holds one JSON object',
    () => 'give the row as it reads',
  ),
  'file.listing_unreadable': wrong(
    (p) => `the listing cannot be read: ${p.reason}`,
    'Resources: file (listing item)',
    () => 'give an array of { "key", "size" }',
  ),
} satisfies Record<string, CodeRow>;
