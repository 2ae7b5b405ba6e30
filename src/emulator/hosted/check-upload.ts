import {
  bodyText,
  checkManifest,
  checkToolFiles,
  explainViolation,
  filesAtRoot,
  HOSTED_TOOL_ZIPPED,
  isCertain,
  isObject,
  type Params,
  violation,
  type Violation,
} from '../../contract/index.ts';
import { HttpError } from '../http/messages.ts';
import { Archive, ArchiveError } from './archive.ts';

/**
 * Opens the zip of a hosted tool and refuses it by the rules of the contract ("Limits: hosted tool
 * upload"; changes of 2026-10-05 and 2026-10-11). Every file is inflated once, so that a damaged one,
 * or one that is larger than its directory entry says, is found before anything is stored.
 */
export async function openUpload(zip: Buffer): Promise<Archive> {
  // A zip that is too large is not opened.
  if (zip.length > HOSTED_TOOL_ZIPPED.bytes) refuseFound(checkToolFiles([], zip.length));
  const archive = await refuseUnreadable(Archive.open(zip));
  const files = [...archive.files.values()];
  refuseFound(checkToolFiles(files, zip.length));
  for (const { path, isLink } of files) {
    if (isLink === true) refuseAs('hosted_tool.link', { file: path });
  }
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

/** The contract says nothing about a manifest that is not a JSON object. */
function checkManifestBytes(bytes: Uint8Array): Violation[] {
  const read = bodyText(bytes);
  if ('violation' in read) return [];
  try {
    const value: unknown = JSON.parse(read.text);
    // Only its keys matter, however deep it is.
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
    if (!(error instanceof ArchiveError)) throw error;
    return refuseAs('hosted_tool.zip_unreadable', { reason: error.message });
  }
}

/** Refuses with the first violation that is certain. */
export function refuseFound(found: readonly Violation[]): void {
  const wrong = found.find(isCertain);
  if (wrong !== undefined) throw new HttpError(422, wrong.code, explainViolation(wrong).message);
}

function refuseAs(code: Violation['code'], params: Params): never {
  throw new HttpError(422, code, explainViolation(violation(code, '', params)).message);
}
