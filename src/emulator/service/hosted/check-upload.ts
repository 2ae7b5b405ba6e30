import {
  checkManifest,
  checkToolFiles,
  explainViolation,
  filesAtRoot,
  HOSTED_TOOL_ZIPPED,
  isCertain,
  isObject,
  isRefusedOnUpload,
  type Params,
  RESERVED_ROOT_FILE,
  servedFolder,
  type ToolFile,
  violation,
  type Violation,
} from '../../../contract/index.ts';
import { HttpError } from '../../http/messages.ts';
import { Archive } from '../../store/archive.ts';
import { ZipError } from '../../../zip.ts';

/**
 * Opens the zip of a hosted tool and refuses it by the rules of the contract ("Limits: hosted tool
 * upload"; changes of 2026-10-05 and 2026-10-11). Every file is inflated once, so that a damaged one,
 * or one that is larger than its directory entry says, is found before anything is stored.
 */
export async function openUpload(zip: Buffer): Promise<Archive> {
  // A zip that is too large is not opened.
  if (zip.length > HOSTED_TOOL_ZIPPED.bytes) refuseFound(checkToolFiles([], zip.length));
  const archive = await refuseUnreadable(Archive.open(zip));
  const { files } = archive;
  if (files.length === 0) refuseAs('hosted_tool.empty', {});
  refuseFound(checkToolFiles(files, zip.length));
  refuseReserved(files);
  for (const { path } of files) {
    const bytes = await refuseUnreadable(archive.read(path));
    const isManifest = /(?:^|\/)manifest\.json$/i.test(path);
    if (
      bytes !== undefined &&
      isManifest &&
      filesAtRoot(files).some((file) => file.path === path)
    ) {
      refuseFound(checkManifestBytes(bytes));
    }
  }
  return archive;
}

/** The root of the tool is the folder that it is served from, which may be one inside the zip. */
function refuseReserved(files: readonly ToolFile[]): void {
  const root = servedFolder(files.map(({ path }) => path));
  const reserved = files.find(({ path }) => path === root + RESERVED_ROOT_FILE);
  if (reserved !== undefined) refuseAs('hosted_tool.reserved_file', { file: reserved.path });
}

/**
 * The contract says nothing about a manifest that is not a JSON object. One with a byte order mark
 * or broken UTF-8 is accepted, as less strict readers do.
 */
function checkManifestBytes(bytes: Uint8Array): Violation[] {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    // Only its keys matter.
    return isObject(value)
      ? checkManifest(new Map(Object.keys(value).map((key) => [key, null])))
      : [];
  } catch {
    return [];
  }
}

async function refuseUnreadable<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ZipError)) throw error;
    return refuseAs('hosted_tool.zip_unreadable', { reason: error.message });
  }
}

/** Refuses with the first certain violation, else with the first that no upload may have. */
export function refuseFound(found: readonly Violation[]): void {
  const refused = found.find(isCertain) ?? found.find(isRefusedOnUpload);
  if (refused) throw new HttpError(422, refused.code, explainViolation(refused).message);
}

function refuseAs(code: Violation['code'], params: Params): never {
  throw new HttpError(422, code, explainViolation(violation(code, '', params)).message);
}
