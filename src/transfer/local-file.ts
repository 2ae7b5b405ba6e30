import { basename } from 'node:path';
import type { FileItem } from '../contract/index.ts';
import { ChangedError, UsageError } from '../errors.ts';
import type { Disk, PathInfo } from '../ports.ts';

export interface LocalFile {
  /** Its name in messages; `-` for standard input. */
  readonly name: string;
  /** Its path; for standard input, that of a temporary file. */
  readonly path: string;
  readonly facts: PathInfo;
}

/**
 * A local file, with its current size and date.
 *
 * @throws {UsageError} there is no plain file at the path
 */
export async function localFile(disk: Disk, path: string): Promise<LocalFile> {
  const facts = await disk.pathInfo(path);
  if (facts?.kind === 'file') return { name: path, path, facts };
  throw new UsageError(`${path} ${facts === undefined ? 'does not exist' : 'is not a plain file'}`);
}

/** The base name, which is the default key; undefined for standard input. */
export function baseName(file: LocalFile): string | undefined {
  return file.name === '-' ? undefined : basename(file.name);
}

/** A name whose bytes are not UTF-8 is listed with U+FFFD, and cannot be opened. */
export function hasInvalidUtf8(name: string): boolean {
  return name.includes('\ufffd');
}

/** Whether a file of the service is unchanged, according to a listing. */
export function isSameFile(record: FileItem, before: FileItem | undefined): boolean {
  return record.size === before?.size && record.modified === before.modified;
}

/**
 * Refuses to replace or remove a local file that has changed since it was seen (`undefined`: it did not
 * exist): there is no before-image of local files. Throws `ChangedError`.
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
  if (!isAsSeen || inode !== seen.inode) throw changedError(path);
}

/** The error for a file, or a key of the row, that changed in the meantime. */
export function changedError(name: string): ChangedError {
  return new ChangedError(
    'file.changed_meanwhile',
    `${name} has changed in the meantime and was left alone: check it, and run the command again`,
  );
}
