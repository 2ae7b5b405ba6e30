import type { Stats } from 'node:fs';
import { fileSystem } from './file-system.ts';
import { Handle } from './handle.ts';
import { READ_FLAGS } from './plain-file.ts';
import { reasonOf } from './system-error.ts';
import { UsageError } from '../errors.ts';
import { InvalidError } from '../errors.ts';
import type { OpenFile, PathInfo } from '../ports.ts';

/** Large, since each piece costs one disk read and one network write. */
const PIECE_BYTES = 768 << 10;

/** Information about a path; undefined if it does not exist. */
export async function pathInfo(
  path: string,
  options: { followLinks?: boolean } = {},
): Promise<PathInfo | undefined> {
  try {
    return toPathInfo(
      options.followLinks ? await fileSystem.stat(path) : await fileSystem.lstat(path),
    );
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

/** The error for a path that cannot be read. */
export function unreadable(path: string, error: unknown): UsageError {
  return new UsageError(`${path} cannot be read: ${reasonOf(error)}`);
}

/** Opens a file for reading; each call of `chunks` reads it from the start. */
export async function openFile(path: string, seen: PathInfo): Promise<OpenFile> {
  const handle = await Handle.open(path, READ_FLAGS).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  return {
    chunks: () => chunksOf(path, handle, seen),
    close: () => handle.close(),
  };
}

/** Exactly `seen.size` bytes of the file; throws if it has changed since it was seen. */
async function* chunksOf(path: string, handle: Handle, seen: PathInfo): AsyncGenerator<Uint8Array> {
  // Two buffers are used alternately: new ones would pile up until the whole file is in memory. A piece
  // is being sent while the next is requested, and was sent when the one after is.
  const length = Math.min(PIECE_BYTES, seen.size);
  const buffers = [Buffer.allocUnsafe(length), Buffer.allocUnsafe(length)] as const;
  let position = 0;
  for (let index = 0; position < seen.size; index = 1 - index) {
    const piece = buffers[index as 0 | 1];
    const rest = Math.min(length, seen.size - position);
    const filled = await fill(path, handle, piece.subarray(0, rest), position);
    position += filled;
    if (filled < rest) break;
    // The last piece is sent only if the file is unchanged: without it, the upload is incomplete and
    // cannot take effect.
    if (position === seen.size) await checkUnchanged(path, handle, seen);
    yield piece.subarray(0, rest);
  }
  if (position < seen.size || seen.size === 0) await checkUnchanged(path, handle, seen);
}

/** Reads until the piece is full or the file ends; returns the number of bytes. */
async function fill(
  path: string,
  handle: Handle,
  piece: Buffer,
  position: number,
): Promise<number> {
  let size = 0;
  while (size < piece.length) {
    const read = await handle
      .read(piece.subarray(size), position + size)
      .catch((error: unknown) => {
        throw unreadable(path, error);
      });
    if (read === 0) break;
    size += read;
  }
  return size;
}

async function checkUnchanged(path: string, handle: Handle, seen: PathInfo): Promise<void> {
  const now = toPathInfo(await handle.stat());
  if (now.size === seen.size && now.modified === seen.modified) return;
  const how =
    now.size === seen.size
      ? 'it was modified'
      : `its size went from ${seen.size} to ${now.size} bytes`;
  throw new InvalidError(`${path} changed while it was being read: ${how}`, {
    code: 'file.changed',
    hint: 'try again when nothing writes to the file',
  });
}
