import { isObject } from './is-object.ts';
import { FILE_KEY_MAX_CHARACTERS, FILE_SIZE, FILES_PER_ROW, FILES_TOTAL } from './limits.ts';
import type { RowKind } from './rows.ts';
import { checkLimit, isCertain, violation, type Violation } from './violations.ts';
import { maskSecrets } from './secrets.ts';
import { jsonTypeOf, truncate } from './words.ts';

/** A file in a listing ("File (listing item)"): size in bytes, modified in ms since the epoch. */
export interface FileItem {
  readonly key: string;
  readonly size: number;
  readonly modified: number;
}

/** Whether a value can be a file in a listing: only its key and its size are checked. */
export function isListed(value: unknown): value is FileItem {
  return isObject(value) && typeof value.key === 'string' && typeof value.size === 'number';
}

/** A single file record ("File (single)"): `expires` in ms since the epoch. */
export interface FileRecord extends FileItem {
  readonly content_type: string;
  readonly url: string;
  readonly expires: number;
}

/** A declaration with its defaults filled in ("Declaration body of PUT"); `mimetype` '' is guessed. */
export interface Declaration {
  readonly size: number;
  readonly mimetype: string;
  readonly filename: string;
  readonly attachment: boolean;
}

/** The characters of a file key ("Limits"), as a pattern without flags, for use in other languages. */
export const FILE_KEY_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]*$';
const KEY = new RegExp(FILE_KEY_PATTERN);

/** Checks a file key ("Limits": 1 to 128 characters, letters, digits, `.`, `_`, `-`, the first a letter or digit). */
export function checkKey(key: string, path = ''): Violation[] {
  const reason = keyFault(key);
  if (reason === undefined) return [];
  return [
    violation('file.key_invalid', path, {
      key: truncate(key),
      reason,
      // Whole, to be used as it is.
      proposal: maskSecrets(proposeKey(key)),
    }),
  ];
}

function keyFault(key: string): string | undefined {
  if (key === '') return 'it is empty';
  const characters = [...key].length;
  if (characters > FILE_KEY_MAX_CHARACTERS) return `it has ${characters} characters`;
  if (KEY.test(key)) return undefined;
  const bad = [...key].find((character) => !/[A-Za-z0-9._-]/.test(character));
  if (bad !== undefined) return `${JSON.stringify(bad)} is not allowed`;
  return 'it must start with a letter or digit';
}

/** A valid key near an invalid one: accents dropped, other characters turned into `-`. */
export function proposeKey(key: string): string {
  const plain = key
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, FILE_KEY_MAX_CHARACTERS);
  return plain === '' ? 'file' : plain;
}

/**
 * Checks a declaration body, already parsed and known to be an object. Returns all violations, and
 * the declaration with its defaults, which is valid only if no violation is certain.
 */
export function checkDeclaration(
  key: string,
  body: Readonly<Record<string, unknown>>,
): { declaration: Declaration; violations: Violation[] } {
  const violations = [
    ...checkSize(body),
    ...checkOptional(body, 'mimetype', 'string'),
    ...checkOptional(body, 'filename', 'string'),
    ...checkOptional(body, 'attachment', 'boolean'),
  ];
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const declaration = {
    size: typeof body.size === 'number' ? body.size : 0,
    mimetype: text(body.mimetype),
    filename: text(body.filename) || key,
    attachment: body.attachment === true,
  };
  return { declaration, violations };
}

function checkSize(body: Readonly<Record<string, unknown>>): Violation[] {
  const { size } = body;
  if (size === undefined) return [violation('file.size_missing', '/size')];
  if (typeof size !== 'number' || !Number.isInteger(size) || size < 0) {
    const shown = typeof size === 'number' ? String(size) : jsonTypeOf(size);
    return [violation('file.size_invalid', '/size', { found: shown })];
  }
  return checkFileSize(size);
}

/** Checks the size in bytes of one file ("Limits": at most 25 MB, and no smallest size). */
export function checkFileSize(size: number): Violation[] {
  if (size === 0) return [violation('file.empty', '/size')];
  const codes = ['file.too_large', 'file.maybe_too_large'] as const;
  return checkLimit(size, FILE_SIZE, codes, { path: '/size', size });
}

function checkOptional(
  body: Readonly<Record<string, unknown>>,
  field: 'mimetype' | 'filename' | 'attachment',
  type: 'string' | 'boolean',
): Violation[] {
  const value = body[field];
  if (value === undefined || typeof value === type) return [];
  if (value === null) return [violation('file.null_field', `/${field}`, { field })];
  return [violation(`file.${field}_invalid`, `/${field}`)];
}

/**
 * Checks the quota that a declaration would reach ("Limits": 100 files per row and a total size by
 * row kind). `stored` is the row's listing. A key that holds a file adds none, and the bytes of the
 * file that it replaces do not count. Of a row of an unknown kind, what is certain for every kind is
 * found.
 */
export function checkQuota(
  kind: RowKind | undefined,
  stored: readonly Pick<FileItem, 'key' | 'size'>[],
  key: string,
  size: number,
): Violation[] {
  const others = stored.filter((file) => file.key !== key);
  const count = others.length + 1;
  const total = others.reduce((sum, file) => sum + file.size, size);
  const tooMany = violation('files.too_many', '', { count: others.length, limit: FILES_PER_ROW });
  const codes = ['files.quota_exceeded', 'files.maybe_quota_exceeded'] as const;
  const most = kind ?? 'context';
  const found = [
    ...(count > FILES_PER_ROW ? [tooMany] : []),
    ...checkLimit(total, FILES_TOTAL[most], codes, { path: '/size', kind: most, total }),
  ];
  return kind === undefined ? found.filter(isCertain) : found;
}
