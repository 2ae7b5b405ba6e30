import { basename } from 'node:path';
import type { FileItem } from '../contract/index.ts';
import { ChangedError, UsageError } from '../errors.ts';
import type { Disk, PathInfo } from '../ports.ts';

/** A file of this machine that is to be uploaded. */
export interface LocalFile {
  /** As messages call it; `-` for standard input. */
  readonly name: string;
  /** Where its bytes are: for standard input, a temporary file. */
  readonly path: string;
  readonly facts: PathInfo;
}

/**
 * A file of this machine, as it is now.
 *
 * @throws {UsageError} where there is no plain file at the path
 */
export async function localFile(disk: Disk, path: string): Promise<LocalFile> {
  const facts = await disk.pathInfo(path);
  if (facts?.kind === 'file') return { name: path, path, facts };
  throw new UsageError(`${path} ${facts === undefined ? 'does not exist' : 'is not a plain file'}`);
}

/** The base name, which is the key unless one is given; standard input has none. */
export function baseName(file: LocalFile): string | undefined {
  return file.name === '-' ? undefined : basename(file.name);
}

/** A name whose bytes are not UTF-8 is listed with U+FFFD in their place, and found under no name. */
export function isMangled(name: string): boolean {
  return name.includes('\ufffd');
}

/** Whether a file of the service is the one that was seen, as far as a listing can tell. */
export function isSame(record: FileItem, before: FileItem | undefined): boolean {
  return record.size === before?.size && record.modified === before.modified;
}

/**
 * Refuses to replace or remove what is no longer what a plan saw, `undefined` for nothing: local
 * files have no image that could be brought back. Throws `ChangedError`.
 */
export async function refuseChangedFile(
  disk: Disk,
  path: string,
  seen: PathInfo | undefined,
): Promise<void> {
  const there = await disk.pathInfo(path);
  if (there === undefined) return;
  const { kind, size, modified, inode } = there;
  const isAsSeen = kind === seen?.kind && size === seen.size && modified === seen.modified;
  if (!isAsSeen || inode !== seen.inode) throw changedMeanwhile(path);
}

/** The error that a file, or a key of the row, changed after it was looked at. */
export function changedMeanwhile(name: string): ChangedError {
  return new ChangedError(
    'file.changed_meanwhile',
    `${name} changed meanwhile and was left as it is: look again, and run the command again`,
  );
}
