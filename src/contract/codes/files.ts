import { FILE_SIZE, FILES_PER_ROW, FILES_TOTAL } from '../limits.ts';
import { absent, cautiousHint, certain, type Example, possible, situation } from './code-row.ts';

const DECLARATION_RULE = 'Endpoints, Files of a row: declaration body of PUT';
const QUOTA_RULE = 'Limits: files per row, total file size per row';

const declaration = (text: string): Example => ({
  kind: 'declaration',
  given: `PUT …/logo.png ${text}`,
  text,
});

const sizedFile = (size: number): Example => declaration(`{"size": ${size}}`);

/** A file of one byte that joins a row with `count` files of `size` bytes each. */
function joining(given: string, count: number, size: number): Example {
  const files = Array.from({ length: count }, (_, index) => ({ key: `f${index}`, size }));
  return { kind: 'file', given, listing: JSON.stringify(files) };
}

const quota = FILES_TOTAL.member;

/** Errors and warnings about the files of a row: keys, declarations, quotas. */
export const FILE_CODES = {
  'file.key_invalid': certain(
    (p) => `invalid file key ${JSON.stringify(p.key)}: ${p.reason}`,
    'Limits: file key',
    (p) =>
      `use 1 to 128 letters, digits, ".", "_" or "-", starting with a letter or digit, such as ${p.proposal ?? 'notes.txt'}`,
    { kind: 'key', given: 'the key "Résumé 1.pdf"', key: 'Résumé 1.pdf' },
  ),
  'file.size_missing': certain(
    'size is required',
    DECLARATION_RULE,
    'declare the size in bytes',
    declaration('{}'),
  ),
  'file.size_invalid': certain(
    (p) => `size must be a whole number of bytes, not ${p.found}`,
    DECLARATION_RULE,
    'declare the size in bytes, 0 or more',
    declaration('{"size": "2 KB"}'),
  ),
  'file.empty': possible(
    'size is 0',
    DECLARATION_RULE,
    'the contract names no smallest size, so an empty file may be refused',
    sizedFile(0),
  ),
  'file.too_large': certain(
    (p) => `size ${p.size} exceeds the ${p.label} limit of a file`,
    'Limits: one file',
    `the limit is ${FILE_SIZE.bytes} bytes`,
    sizedFile(FILE_SIZE.bytes + 1),
  ),
  'file.maybe_too_large': possible(
    (p) => `size ${p.size} exceeds ${p.label} if a megabyte is 1,000,000 bytes`,
    'Limits: one file',
    cautiousHint,
    sizedFile(FILE_SIZE.cautiousBytes + 1),
  ),
  'file.mimetype_invalid': certain(
    'mimetype must be a string',
    DECLARATION_RULE,
    'omit it to have it guessed from the file name',
    declaration('{"size": 2048, "mimetype": 7}'),
  ),
  'file.filename_invalid': certain(
    'filename must be a string',
    DECLARATION_RULE,
    'omit it to use the key as the file name',
    declaration('{"size": 2048, "filename": ["logo.png"]}'),
  ),
  'file.attachment_invalid': certain(
    'attachment must be true or false',
    DECLARATION_RULE,
    'true: browsers save the file; false: they show it',
    declaration('{"size": 2048, "attachment": "yes"}'),
  ),
  'file.null_field': possible(
    (p) => `${p.field} is null`,
    DECLARATION_RULE,
    'omit the field: the contract does not define null',
    declaration('{"size": 2048, "filename": null}'),
  ),
  'files.too_many': certain(
    (p) => `the row already has ${p.count} of at most ${p.limit} files`,
    QUOTA_RULE,
    'delete a file first, or replace an existing one by using its key',
    joining(`a new key in a row of ${FILES_PER_ROW} files`, FILES_PER_ROW, 1),
  ),
  'files.quota_exceeded': certain(
    (p) => `${p.total} bytes would exceed the ${p.label} quota of the ${p.kind} row`,
    QUOTA_RULE,
    (p) => `delete files first${p.limit === undefined ? '' : `: the quota is ${p.limit} bytes`}`,
    joining(`a file of 1 byte in a member row that holds ${quota.bytes} bytes`, 1, quota.bytes),
  ),
  'files.maybe_quota_exceeded': possible(
    (p) => `${p.total} bytes would exceed the ${p.label} quota if a megabyte is 1,000,000 bytes`,
    QUOTA_RULE,
    cautiousHint,
    joining(
      `a file of 1 byte in a member row that holds ${quota.cautiousBytes} bytes`,
      1,
      quota.cautiousBytes,
    ),
  ),
  'file.not_found': absent(
    (p) => `no file has the key ${p.key}`,
    'Errors, Storage and files: 404',
    'list the keys of the row',
    situation('GET …/logo.png where no file has the key', { key: 'logo.png' }),
  ),
};
