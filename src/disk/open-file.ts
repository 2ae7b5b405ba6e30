import type { Stats } from 'node:fs';
import { type FileHandle, lstat, open, stat } from 'node:fs/promises';
import { READ_FLAGS, UnusableFileError } from './plain-file.ts';
import { InvalidError, UsageError } from '../errors.ts';
import type { OpenFile, PathInfo } from '../ports.ts';
import { getSystemErrorMap } from 'node:util';

/** Large, since each piece costs one disk read and one network write. */
const PIECE_BYTES = 768 << 10;

/** Information about a path; undefined if it does not exist. */
export async function pathInfo(
  path: string,
  options: { followLinks?: boolean } = {},
): Promise<PathInfo | undefined> {
  try {
    return toPathInfo(options.followLinks ? await stat(path) : await lstat(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw unreadable(path, error);
  }
}

/** Converts the `Stats` of a path. */
export function toPathInfo(stats: Stats): PathInfo {
  const { size, mtimeMs, ino } = stats;
  const plain = stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : undefined;
  const kind = plain ?? (stats.isSymbolicLink() ? 'link' : 'other');
  return { kind, size, modified: mtimeMs, inode: ino };
}

export function unreadable(path: string, error: unknown): UsageError {
  return new UsageError(`${path} cannot be read: ${reasonOf(error)}`, undefined, { cause: error });
}

/**
 * Opens a file for reading; each call of `chunks` reads it from the start. Throws `InvalidError` if it
 * does not have the size that was seen: a file of `/proc` has a size of 0, for example.
 */
export async function openFile(path: string, seen: PathInfo): Promise<OpenFile> {
  const handle = await open(path, READ_FLAGS).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  try {
    await checkEnd(path, handle, seen.size);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return {
    chunks: () => chunksOf(path, handle, seen),
    close: () => handle.close(),
  };
}

/** Reads the last byte, and one more. */
async function checkEnd(path: string, handle: FileHandle, size: number): Promise<void> {
  const position = Math.max(0, size - 1);
  const { bytesRead } = await handle
    .read(Buffer.alloc(2), 0, 2, position)
    .catch((error: unknown) => {
      throw unreadable(path, error);
    });
  const end = position + bytesRead;
  if (end === size) return;
  throw changed(path, `it has ${end > size ? 'more' : 'fewer'} bytes than its size of ${size}`);
}

/** Exactly `seen.size` bytes of the file; throws if it has changed since it was seen. */
async function* chunksOf(
  path: string,
  handle: FileHandle,
  seen: PathInfo,
): AsyncGenerator<Uint8Array> {
  // Two buffers are used in turns: new ones would pile up until the whole file is in memory. A piece is
  // being sent while the next is requested, and was sent when the one after is.
  const length = Math.min(PIECE_BYTES, seen.size);
  let [piece, other] = [Buffer.allocUnsafe(length), Buffer.allocUnsafe(length)];
  for (let position = 0; ;) {
    const { bytesRead } = await handle
      .read(piece, 0, Math.min(length, seen.size - position), position)
      .catch((error: unknown) => {
        throw unreadable(path, error);
      });
    position += bytesRead;
    const isLast = bytesRead === 0 || position === seen.size;
    // The last piece is sent only if the file is unchanged: without it, the upload is incomplete and
    // cannot take effect.
    if (isLast) await checkUnchanged(path, handle, seen);
    yield piece.subarray(0, bytesRead);
    if (isLast) return;
    [piece, other] = [other, piece];
  }
}

async function checkUnchanged(path: string, handle: FileHandle, seen: PathInfo): Promise<void> {
  const now = toPathInfo(await handle.stat());
  if (now.size !== seen.size) {
    throw changed(path, `its size went from ${seen.size} to ${now.size} bytes`);
  }
  if (now.modified !== seen.modified) throw changed(path, 'it was modified');
}

function changed(path: string, how: string): InvalidError {
  return new InvalidError(`${path} changed while it was being read: ${how}`, {
    code: 'file.changed',
    hint: 'try again when nothing writes to the file, or pipe its content to standard input',
  });
}

/** The reason of a file error, such as `no space left on device (ENOSPC)` or `it is a folder`. */
export function reasonOf(error: unknown): string {
  if (error instanceof UnusableFileError) return error.reason;
  if (!(error instanceof Error)) return String(error);
  const { code, errno } = error as NodeJS.ErrnoException;
  const [, words] = (errno === undefined ? undefined : getSystemErrorMap().get(errno)) ?? [];
  return words === undefined ? (code ?? error.message) : `${words} (${code})`;
}
