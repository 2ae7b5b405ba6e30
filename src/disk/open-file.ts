import type { Stats } from 'node:fs';
import { type FileHandle, lstat, open, stat } from 'node:fs/promises';
import { READ_FLAGS } from './plain-file.ts';
import { reasonOf } from './system-error.ts';
import { UsageError } from '../errors.ts';
import { InvalidError } from '../errors.ts';
import type { OpenFile, PathInfo } from '../ports.ts';

/** Each piece costs a turn of the disk and one of the network, whatever its size. */
const PIECE_BYTES = 768 << 10;

/** What stands at a path; undefined where nothing does. */
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

/** What the system tells of a path, in our words. */
export function toPathInfo(stats: Stats): PathInfo {
  const { size, mtimeMs, ino } = stats;
  const plain = stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : undefined;
  const kind = plain ?? (stats.isSymbolicLink() ? 'link' : 'other');
  return { kind, size, modified: mtimeMs, inode: ino };
}

/** The error that something at a path cannot be read. */
export function unreadable(path: string, error: unknown): UsageError {
  return new UsageError(`${path} cannot be read: ${reasonOf(error)}`);
}

/** Opens a file for reading; its bytes are read anew each time they are asked for. */
export async function openFile(path: string, seen: PathInfo): Promise<OpenFile> {
  const handle = await open(path, READ_FLAGS).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  return {
    chunks: () => chunksOf(path, handle, seen),
    close: () => handle.close(),
  };
}

/** Exactly `seen.size` bytes, of a file that is the same after the last of them as it was before. */
async function* chunksOf(
  path: string,
  handle: FileHandle,
  seen: PathInfo,
): AsyncGenerator<Uint8Array> {
  // Two pieces of memory take turns: fresh ones would pile up until the whole file is in memory. A
  // piece is on its way when the next is asked for, and gone when the one after is: a connection
  // takes no more before it has sent what is as large as this.
  const length = Math.min(PIECE_BYTES, seen.size);
  const turns = [Buffer.allocUnsafe(length), Buffer.allocUnsafe(length)] as const;
  let position = 0;
  for (let turn = 0; position < seen.size; turn = 1 - turn) {
    const piece = turns[turn as 0 | 1];
    const rest = Math.min(length, seen.size - position);
    const filled = await fill(path, handle, piece.subarray(0, rest), position);
    position += filled;
    if (filled < rest) break;
    // The last piece goes out only when it is known that the file is whole: before it, the upload
    // is short of what was declared, and cannot take effect.
    if (position === seen.size) await checkUnchanged(path, handle, seen);
    yield piece.subarray(0, rest);
  }
  if (position < seen.size || seen.size === 0) await checkUnchanged(path, handle, seen);
}

/** Reads until the piece is full or the file ends; how many bytes there were. */
async function fill(
  path: string,
  handle: FileHandle,
  piece: Buffer,
  position: number,
): Promise<number> {
  let size = 0;
  while (size < piece.length) {
    const { bytesRead } = await handle
      .read(piece, size, piece.length - size, position + size)
      .catch((error: unknown) => {
        throw unreadable(path, error);
      });
    if (bytesRead === 0) break;
    size += bytesRead;
  }
  return size;
}

async function checkUnchanged(path: string, handle: FileHandle, seen: PathInfo): Promise<void> {
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
