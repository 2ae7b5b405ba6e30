import {
  checkDeclaration,
  checkKey,
  checkQuota,
  type FileItem,
  isCertain,
  isListed,
  type RowKind,
  type Violation,
  violation,
} from '../contract/index.ts';
import { type JsonObject, toNative } from '../json/index.ts';
import { checkObjectBy, checkOddities, type Payload, readBody } from './body.ts';
import { type Finding, toFindings } from './finding.ts';

/**
 * Checks a file key ("Limits": 1 to 128 characters of letters, digits, `.`, `_`, `-`, the first a
 * letter or digit). The hint proposes a key near it.
 *
 * @example
 * expect(validateKey('report-1.pdf')).toEqual([]);
 */
export function validateKey(key: string): Finding[] {
  return toFindings(checkKey(key));
}

export interface FileToCheck {
  /** The intended key; without it, the file counts as a new one. */
  readonly key?: string | undefined;
  readonly size: number;
}

/** The row whose files it would join. */
export interface FileOptions {
  /** The kind of row, for the quota of its total size. */
  readonly kind?: RowKind | undefined;
  /** The row's files as listed: an array of `{ "key", "size" }`, or an object with that as `files`. */
  readonly listing?: string | undefined;
}

type Stored = Pick<FileItem, 'key' | 'size'>;

/**
 * Checks a file before it is declared ("Files of a row", "Limits"): its key, its size, and with a
 * listing the count and the total size that the row would reach.
 *
 * @example
 * expect(validateFile({ key: 'logo.png', size: 2048, kind: 'context', listing: '[]' })).toEqual([]);
 */
export function validateFile(file: FileToCheck & FileOptions): Finding[] {
  return validateFiles([file], file)[0] ?? [];
}

/**
 * The same for several files that are uploaded to one row, as `fitFiles` counts them. Returns a list of
 * findings for each file, in their order.
 */
export function validateFiles(
  files: readonly FileToCheck[],
  { kind, listing }: FileOptions = {},
): Finding[][] {
  const listed = listing === undefined ? { stored: [] } : readListing(listing);
  if ('violation' in listed) {
    return files.map((file) => toFindings([...checkAlone(file), listed.violation]));
  }
  const valid = files.filter((file) => !checkAlone(file).some(isCertain));
  const { phases } = fitFiles(valid, kind, listed.stored);
  const quota = new Map(phases.flat().map(({ file, violations }) => [file, violations]));
  return files.map((file) => toFindings([...checkAlone(file), ...(quota.get(file) ?? [])]));
}

/**
 * Counts files against the quota of a row in the order in which an upload sends them: first those that
 * replace a larger file, which frees space. One that would be refused takes no space from later ones.
 */
export function fitFiles<File extends FileToCheck>(
  files: readonly File[],
  kind: RowKind | undefined,
  stored: readonly Stored[],
): {
  /** Each phase is sent after the previous one. */
  readonly phases: readonly (readonly { file: File; violations: readonly Violation[] }[])[];
  readonly after: readonly Stored[];
} {
  const sizes = new Map(stored.map(({ key, size }) => [key, size]));
  const shrinks = ({ key = '', size }: File): boolean => size < (sizes.get(key) ?? 0);
  let after = stored;
  const fit = (file: File) => {
    // No file has such a key.
    const { key = `#${after.length}`, size } = file;
    const violations = checkQuota(kind, after, key, size);
    if (!violations.some(isCertain))
      after = [...after.filter((each) => each.key !== key), { key, size }];
    return { file, violations };
  };
  const first = files.filter(shrinks).map(fit);
  const second = files.filter((file) => !shrinks(file)).map(fit);
  return { phases: [first, second].filter((phase) => phase.length > 0), after };
}

function checkAlone({ key, size }: FileToCheck): Violation[] {
  const named = key === undefined ? [] : checkKey(key);
  return [...named, ...checkDeclaration(key ?? '', { size }).violations];
}

/**
 * Checks the body of a declaration ("Declaration body of PUT") and the key that it is sent to.
 *
 * @example
 * expect(validateDeclaration('{"size":2048}', { key: 'logo.png' })).toEqual([]);
 */
export function validateDeclaration(
  payload: Payload,
  options: FileOptions & Pick<FileToCheck, 'key'> = {},
): Finding[] {
  const { key } = options;
  const named = key === undefined ? [] : checkKey(key);
  const body = readBody(payload);
  if ('violation' in body) return toFindings([...named, body.violation]);
  const violations = checkObjectBy((it) => checkBody(it, options), body.value, '{ "size": … }');
  return toFindings([...named, ...violations, ...checkOddities(body)], body.text);
}

function checkBody(
  body: JsonObject,
  { key = '', kind, listing }: FileOptions & Pick<FileToCheck, 'key'>,
): Violation[] {
  const native = toNative(body) as Record<string, unknown>;
  const { declaration, violations } = checkDeclaration(key, native);
  const listed = listing === undefined ? { stored: [] } : readListing(listing);
  if ('violation' in listed) return [...violations, listed.violation];
  return [...violations, ...checkQuota(kind, listed.stored, key, declaration.size)];
}

function readListing(text: string): { stored: readonly Stored[] } | { violation: Violation } {
  const unreadable = (reason: string): { violation: Violation } => ({
    violation: violation('file.listing_unreadable', '', { reason }),
  });
  const body = readBody(text);
  if ('violation' in body) return unreadable('it is not valid JSON');
  const outer = toNative(body.value);
  const list = Array.isArray(outer) ? outer : (outer as { files?: unknown } | null)?.files;
  if (!Array.isArray(list)) return unreadable('it is not an array');
  const invalid = list.findIndex((item) => !isListed(item));
  return invalid === -1
    ? { stored: list as Stored[] }
    : unreadable(`item ${invalid} has no key and size`);
}
