import { certain, type CodeRow, possible } from './row.ts';

const KEY_RULE = 'Limits: file key';
const DECLARATION_RULE = 'Endpoints, Files of a row: declaration body of PUT';
const QUOTA_RULE = 'Limits: files per row, total file size per row';

/** Errors and warnings about the files of a row: keys, declarations, quotas. */
export const FILE_CODES = {
  'file.key_invalid': certain(
    (p) => `invalid file key ${JSON.stringify(p.key)}: ${p.reason}`,
    KEY_RULE,
    (p) =>
      `use 1 to 128 letters, digits, ".", "_" or "-", starting with a letter or digit, such as ${p.proposal}`,
  ),
  'file.size_missing': certain(
    () => 'size is required',
    DECLARATION_RULE,
    () => 'declare the size in bytes',
  ),
  'file.size_invalid': certain(
    (p) => `size must be a whole number of bytes, not ${p.found}`,
    DECLARATION_RULE,
    () => 'declare the size in bytes, 0 or more',
  ),
  'file.too_large': certain(
    (p) => `size ${p.size} exceeds the ${p.label} limit of a file`,
    'Limits: one file',
    (p) => `the limit is ${p.limit} bytes`,
  ),
  'file.maybe_too_large': possible(
    (p) => `size ${p.size} exceeds ${p.label} if a megabyte is 1,000,000 bytes`,
    'Limits: one file',
    (p) => `the contract does not say; ${p.cautious} bytes is safe under either reading`,
  ),
  'file.mimetype_invalid': certain(
    () => 'mimetype must be a string',
    DECLARATION_RULE,
    () => 'omit it to have it guessed from the file name',
  ),
  'file.filename_invalid': certain(
    () => 'filename must be a string',
    DECLARATION_RULE,
    () => 'omit it to use the key as the file name',
  ),
  'file.attachment_invalid': certain(
    () => 'attachment must be true or false',
    DECLARATION_RULE,
    () => 'true: browsers save the file; false: they show it',
  ),
  'file.null_field': possible(
    (p) => `${p.field} is null`,
    DECLARATION_RULE,
    () => 'omit the field: the contract does not define null',
  ),
  'files.too_many': certain(
    (p) => `the row already has ${p.count} of at most ${p.limit} files`,
    QUOTA_RULE,
    () => 'delete a file first, or replace an existing one by using its key',
  ),
  'files.quota_exceeded': certain(
    (p) => `${p.total} bytes would exceed the ${p.label} quota of the ${p.kind} row`,
    QUOTA_RULE,
    (p) => `the quota is ${p.limit} bytes; delete files first`,
  ),
  'files.maybe_quota_exceeded': possible(
    (p) => `${p.total} bytes would exceed the ${p.label} quota if a megabyte is 1,000,000 bytes`,
    QUOTA_RULE,
    (p) => `the contract does not say; ${p.cautious} bytes is safe under either reading`,
  ),
  'file.not_found': certain(
    (p) => `no file has the key ${p.key}`,
    'Errors, Storage and files: 404',
    () => 'list the keys of the row',
    404,
  ),
} satisfies Record<string, CodeRow>;
