import type { JsonObject } from '../json/index.ts';
import type { Params } from './codes/code-row.ts';
import {
  classifySize,
  HOSTED_TOOL_WHOLE,
  HOSTED_TOOL_ZIPPED,
  REFUSED_MANIFEST_KEYS,
  RESERVED_ROOT_FILE,
} from './limits.ts';
import { checkLimit, type Code, type Violation, violation } from './violations.ts';
import { shorten, truncate } from './words.ts';

export interface ToolFile {
  /** Relative to the tool's folder, or to the root of its zip; with slashes. */
  readonly path: string;
  /** Bytes, unpacked. */
  readonly size: number;
  /** Bytes in the zip. */
  readonly compressedSize?: number | undefined;
  /** A symbolic link, wherever it leads. */
  readonly isLink?: boolean | undefined;
}

/**
 * Findings for which the emulator refuses an upload although the contract does not mention them: in
 * each case it is unknown what the service would serve.
 */
const REFUSED_ON_UPLOAD: ReadonlySet<string> = new Set<Code>([
  'hosted_tool.link',
  'hosted_tool.duplicate_name',
  'hosted_tool.empty',
]);

/** Whether the emulator refuses an upload for a finding that is not an error. */
export function isRefusedOnUpload({ code }: { readonly code: string }): boolean {
  return REFUSED_ON_UPLOAD.has(code);
}

/** Bits of a Unix mode, which zip programs store in the upper half of the external attributes. */
const FILE_TYPE = 0o170000;
const SYMBOLIC_LINK = 0o120000;

/** Whether an entry of a zip is a symbolic link, by its external attributes. */
export function isZipLink(externalAttributes: number): boolean {
  return ((externalAttributes >>> 16) & FILE_TYPE) === SYMBOLIC_LINK;
}

/** Whether an entry of a zip is just a folder: bytes and links are checked whatever their name. */
export function isZipFolder({ path, size, isLink }: ToolFile): boolean {
  return path.endsWith('/') && size === 0 && isLink !== true && !isOutside(path);
}

/** The files of a hosted tool, as a folder or a zip of it. */
export interface ToolFiles {
  readonly files: readonly ToolFile[];
  /** Bytes of the zip; unknown for a folder. */
  readonly zipSize?: number | undefined;
  /** Why the zip could not be read completely. */
  readonly fault?: string | undefined;
}

/**
 * Checks the files of a hosted tool ("Limits: hosted tool upload", "Versioning: change of
 * 2026-10-05"): whether they can be read, the size of the zip, if known, and of all files, symbolic
 * links, paths that are outside the folder or occur twice, and the reserved name.
 */
export function checkToolFiles({ files, zipSize, fault }: ToolFiles): Violation[] {
  const zipped = zipSize === undefined ? checkUnzipped(files) : checkZipSize(zipSize, files);
  return [
    ...checkReadable(files, fault),
    ...zipped,
    ...checkWholeSize(files),
    ...checkPaths(files),
    ...checkLinks(files),
    ...checkReserved(files),
  ];
}

function checkReadable(files: readonly ToolFile[], fault: string | undefined): Violation[] {
  if (fault !== undefined)
    return [violation('hosted_tool.zip_unreadable', '', { reason: truncate(fault) })];
  return files.length === 0 ? [violation('hosted_tool.empty', '')] : [];
}

/** A path with slashes, as unzip programs read it. */
function withSlashes(path: string): string {
  return path.replaceAll('\\', '/');
}

/** Whether a path is absolute, has a drive, or leads out of the folder. */
function isOutside(path: string): boolean {
  const plain = withSlashes(path);
  return /^(?:[a-z]:|\/)/i.test(plain) || plain.split('/').includes('..');
}

function checkPaths(files: readonly ToolFile[]): Violation[] {
  const counts = new Map<string, number>();
  for (const { path } of files) {
    const plain = withSlashes(path);
    counts.set(plain, (counts.get(plain) ?? 0) + 1);
  }
  const paths = [...counts.keys()];
  const violationAt = (code: Code, path: string): Violation =>
    violation(code, path, { file: shorten(path), count: counts.get(path) ?? 0 });
  return [
    ...paths.filter(isOutside).map((path) => violationAt('hosted_tool.path_outside', path)),
    ...paths
      .filter((path) => (counts.get(path) ?? 0) > 1)
      .map((path) => violationAt('hosted_tool.duplicate_name', path)),
  ];
}

function checkLinks(files: readonly ToolFile[]): Violation[] {
  return files
    .filter(({ isLink }) => isLink === true)
    .map(({ path }) => violation('hosted_tool.link', path, { file: shorten(path) }));
}

/** The size of a packed folder is unknown; a folder that is too large anyway needs no warning. */
function checkUnzipped(files: readonly ToolFile[]): Violation[] {
  const size = sizeOf(files);
  const { cautiousBytes: cautious, label } = HOSTED_TOOL_ZIPPED;
  if (size <= cautious || classifySize(size, HOSTED_TOOL_WHOLE) === 'over') return [];
  const params = { size, cautious, label, ...largestOf(files, (file) => file.size) };
  return [violation('hosted_tool.zip_size_unknown', '', params)];
}

function sizeOf(files: readonly ToolFile[]): number {
  return files.reduce((sum, file) => sum + file.size, 0);
}

function checkZipSize(zipSize: number, files: readonly ToolFile[]): Violation[] {
  const largest = largestOf(files, (file) => file.compressedSize ?? file.size);
  const codes = ['hosted_tool.zip_too_large', 'hosted_tool.zip_maybe_too_large'] as const;
  return checkLimit(zipSize, HOSTED_TOOL_ZIPPED, codes, { size: zipSize, ...largest });
}

function checkWholeSize(files: readonly ToolFile[]): Violation[] {
  const size = sizeOf(files);
  const params = { size, count: files.length, ...largestOf(files, (file) => file.size) };
  const codes = ['hosted_tool.too_large', 'hosted_tool.maybe_too_large'] as const;
  return checkLimit(size, HOSTED_TOOL_WHOLE, codes, params);
}

function largestOf(files: readonly ToolFile[], bytesOf: (file: ToolFile) => number): Params {
  const [largest] = files.toSorted((a, b) => bytesOf(b) - bytesOf(a));
  return largest === undefined
    ? {}
    : { largest: shorten(largest.path), largestSize: bytesOf(largest) };
}

/** "A file named … at a tool folder's root is reserved and refused": also that of the folder that is served. */
function checkReserved(files: readonly ToolFile[]): Violation[] {
  const paths = files.map(({ path }) => plainPath(path));
  const outer = outerFolder(paths);
  const roots = ['', servedFolder(paths)];
  return paths.flatMap((path) => {
    if (roots.some((root) => path === root + RESERVED_ROOT_FILE))
      return [violation('hosted_tool.reserved_file', path, { file: path })];
    // Many zips have one folder that contains everything, which may count as the root.
    const inner = path.startsWith(outer) ? path.slice(outer.length) : path;
    if (inner.toLowerCase() !== RESERVED_ROOT_FILE) return [];
    return [violation('hosted_tool.maybe_reserved_file', path, { file: shorten(path) })];
  });
}

/** The folder that a tool is served from, with a slash: the outer one if `index.html` is there. */
export function servedFolder(paths: readonly string[]): string {
  const outer = outerFolder(paths);
  return !paths.includes('index.html') && paths.includes(`${outer}index.html`) ? outer : '';
}

/** The tool's files in its root, or in the one folder that contains everything. */
export function filesAtRoot(files: readonly ToolFile[]): ToolFile[] {
  const outer = outerFolder(files.map(({ path }) => plainPath(path)));
  return files.filter(({ path }) => {
    const plain = plainPath(path);
    return plain.startsWith(outer) && !plain.slice(outer.length).includes('/');
  });
}

function plainPath(path: string): string {
  return withSlashes(path).replace(/^(?:\.?\/+)+/, '');
}

/** The folder that contains everything, with a slash; '' if there is none. */
function outerFolder(paths: readonly string[]): string {
  const [first = ''] = paths;
  const folder = first.slice(0, first.indexOf('/') + 1);
  return paths.every((path) => path.startsWith(folder)) ? folder : '';
}

/** "A manifest carrying `locations` or `grouped_locations` is refused." */
export function checkManifest(manifest: JsonObject): Violation[] {
  return refusedManifestKeys(manifest).map((key) =>
    violation('hosted_tool.manifest_key', `/${key}`, { key }),
  );
}

/** The keys for which a manifest is refused. */
export function refusedManifestKeys(manifest: JsonObject): string[] {
  return REFUSED_MANIFEST_KEYS.filter((key) => manifest.has(key));
}
