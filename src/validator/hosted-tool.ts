import {
  band,
  type Code,
  HOSTED_TOOL_WHOLE,
  HOSTED_TOOL_ZIPPED,
  type JsonObject,
  type Params,
  REFUSED_MANIFEST_KEYS,
  RESERVED_ROOT_FILE,
  type SizeLimit,
  type Violation,
  violation,
} from '../contract/index.ts';
import { checkOddities, cut, readBody } from './body.ts';
import { type Finding, toFindings } from './finding.ts';
import { typeInWords } from './row.ts';

/** A file of a hosted tool. */
export interface ToolFile {
  /** Relative to the tool's folder, or to the root of its zip; with slashes. */
  readonly path: string;
  /** Bytes, unpacked. */
  readonly size: number;
  /** Bytes in the zip. */
  readonly compressedSize?: number | undefined;
}

/** A hosted tool, as a folder or a zip of it. */
export interface HostedTool {
  readonly files: readonly ToolFile[];
  /** Bytes of the zip; of a folder unknown. */
  readonly zipSize?: number | undefined;
  /** Why the zip could not be read to its end, where it could not. */
  readonly fault?: string | undefined;
  /** The text of the manifest, where there is one. Its name is not shown. */
  readonly manifest?: string | undefined;
}

/**
 * Checks a hosted tool before it is uploaded ("Limits: hosted tool upload", "Versioning: contract
 * changes"): the size zipped and whole, the reserved file at its root, and the keys for which a
 * manifest is refused. Line and column are those in the manifest.
 *
 * @example
 * expect(validateHostedTool({ files: [{ path: 'index.html', size: 512 }] })).toEqual([]);
 */
export function validateHostedTool({ files, zipSize, fault, manifest }: HostedTool): Finding[] {
  const found = [
    ...(fault === undefined
      ? []
      : [violation('hosted_tool.zip_unreadable', '', { reason: cut(fault) })]),
    ...(files.length === 0 && fault === undefined ? [violation('hosted_tool.empty', '')] : []),
    ...checkZipSize(zipSize, files),
    ...checkWholeSize(files),
    ...checkReserved(files),
  ];
  return [...toFindings(found), ...(manifest === undefined ? [] : validateManifest(manifest))];
}

function checkZipSize(zipSize: number | undefined, files: readonly ToolFile[]): Violation[] {
  if (zipSize === undefined) return [];
  const largest = largestOf(files, ({ size, compressedSize }) => compressedSize ?? size);
  const codes = ['hosted_tool.zip_too_large', 'hosted_tool.zip_maybe_too_large'] as const;
  return checkLimit(zipSize, HOSTED_TOOL_ZIPPED, codes, largest);
}

function checkWholeSize(files: readonly ToolFile[]): Violation[] {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const params = { count: files.length, ...largestOf(files, (file) => file.size) };
  const codes = ['hosted_tool.too_large', 'hosted_tool.maybe_too_large'] as const;
  return checkLimit(size, HOSTED_TOOL_WHOLE, codes, params);
}

function checkLimit(
  size: number,
  limit: SizeLimit,
  [over, uncertain]: readonly [Code, Code],
  more: Params,
): Violation[] {
  const where = band(size, limit);
  if (where === 'within') return [];
  const { bytes, cautiousBytes, label } = limit;
  const params = { size, limit: bytes, cautious: cautiousBytes, label, ...more };
  return [violation(where === 'over' ? over : uncertain, '', params)];
}

function largestOf(files: readonly ToolFile[], sizeOf: (file: ToolFile) => number): Params {
  let largest: ToolFile | undefined;
  for (const file of files) {
    if (largest === undefined || sizeOf(file) > sizeOf(largest)) largest = file;
  }
  return largest === undefined ? {} : { largest: cut(largest.path), largestSize: sizeOf(largest) };
}

// ---------------------------------------------------------------- names

/** "A file named … at a tool folder's root is reserved and refused." */
function checkReserved(files: readonly ToolFile[]): Violation[] {
  const paths = files.map(({ path }) => plainPath(path));
  const outer = outerFolder(paths);
  return paths.flatMap((path) => {
    if (path === RESERVED_ROOT_FILE)
      return [violation('hosted_tool.reserved_file', path, { file: path })];
    // Many zips hold one folder with everything in it, which may count as the tool's.
    const inner = path.startsWith(outer) ? path.slice(outer.length) : path;
    if (inner.toLowerCase() !== RESERVED_ROOT_FILE) return [];
    return [violation('hosted_tool.maybe_reserved_file', path, { file: cut(path) })];
  });
}

/** A tool's files that are at its root, or in the one folder that everything is in. */
export function filesAtRoot(files: readonly ToolFile[]): ToolFile[] {
  const outer = outerFolder(files.map(({ path }) => plainPath(path)));
  return files.filter(({ path }) => {
    const plain = plainPath(path);
    return plain.startsWith(outer) && !plain.slice(outer.length).includes('/');
  });
}

function plainPath(path: string): string {
  return path.replaceAll('\\', '/').replace(/^(?:\.?\/+)+/, '');
}

/** The folder that everything is in, with its slash; '' when there is none. */
function outerFolder(paths: readonly string[]): string {
  const [first = ''] = paths;
  const folder = first.slice(0, first.indexOf('/') + 1);
  return paths.every((path) => path.startsWith(folder)) ? folder : '';
}

// ---------------------------------------------------------------- manifest

/** Checks the text of a manifest. */
export function validateManifest(text: string): Finding[] {
  const body = readBody(text);
  if ('violation' in body) {
    const { reason = '', line = 1, column = 1 } = body.violation.params;
    return toFindings([violation('hosted_tool.manifest_unreadable', '', { reason, line, column })]);
  }
  const { value } = body;
  if (!(value instanceof Map)) {
    const reason = `it is ${typeInWords(value)}, not an object`;
    return toFindings([violation('hosted_tool.manifest_unreadable', '', { reason })]);
  }
  return toFindings([...checkManifest(value), ...checkOddities(body)], text);
}

function checkManifest(manifest: JsonObject): Violation[] {
  return refusedKeys(manifest).map((key) =>
    violation('hosted_tool.manifest_key', `/${key}`, { key }),
  );
}

/** Checks the text of a JSON file at the tool's root that may be the manifest, or something else. */
export function validatePossibleManifest(file: string, text: string): Finding[] {
  const body = readBody(text);
  if ('violation' in body || !(body.value instanceof Map)) return [];
  const found = refusedKeys(body.value).map((key) =>
    violation('hosted_tool.maybe_manifest_key', `/${key}`, { file: cut(file), key }),
  );
  return toFindings(found, text);
}

function refusedKeys(manifest: JsonObject): string[] {
  return REFUSED_MANIFEST_KEYS.filter((key) => manifest.has(key));
}
