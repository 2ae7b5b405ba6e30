import { type FileHandle, lstat, open, stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { InvalidError, UsageError } from '../errors.ts';
import type { OpenFile, PathFacts } from '../runtime.ts';

/** Small reads cost more than the network: at 64 KiB an upload takes twice as long. */
const PIECE_BYTES = 1 << 20;

/** What stands at a path; undefined where nothing does. */
export async function facts(
  path: string,
  options: { followLinks?: boolean } = {},
): Promise<PathFacts | undefined> {
  try {
    return toFacts(options.followLinks ? await stat(path) : await lstat(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw unreadable(path, error);
  }
}

function toFacts(stats: Stats): PathFacts {
  const { size, mtimeMs } = stats;
  const plain = stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : undefined;
  const kind = plain ?? (stats.isSymbolicLink() ? 'link' : 'other');
  return { kind, size, modified: mtimeMs };
}

function unreadable(path: string, error: unknown): UsageError {
  const why = (error as NodeJS.ErrnoException).code ?? String(error);
  return new UsageError(`${path} cannot be read: ${why}`);
}

/** Opens a file for reading; its bytes are read anew each time they are asked for. */
export async function openFile(path: string, seen: PathFacts): Promise<OpenFile> {
  const handle = await open(path, 'r').catch((error: unknown) => {
    throw unreadable(path, error);
  });
  return {
    chunks: () => piecesOf(path, handle, seen),
    close: () => handle.close(),
  };
}

/** Exactly `seen.size` bytes, of a file that is the same after the last of them as it was before. */
async function* piecesOf(
  path: string,
  handle: FileHandle,
  seen: PathFacts,
): AsyncGenerator<Uint8Array> {
  let position = 0;
  while (position < seen.size) {
    const length = Math.min(PIECE_BYTES, seen.size - position);
    const { buffer, bytesRead } = await handle.read(
      Buffer.allocUnsafe(length),
      0,
      length,
      position,
    );
    if (bytesRead === 0) break;
    position += bytesRead;
    // The last piece goes out only when it is known that the file is whole: before it, the upload
    // is short of what was declared, and cannot take effect.
    if (position === seen.size) await checkUnchanged(path, handle, seen);
    yield buffer.subarray(0, bytesRead);
  }
  if (position < seen.size || seen.size === 0) await checkUnchanged(path, handle, seen);
}

async function checkUnchanged(path: string, handle: FileHandle, seen: PathFacts): Promise<void> {
  const now = toFacts(await handle.stat());
  if (now.size === seen.size && now.modified === seen.modified) return;
  const how =
    now.size === seen.size ? 'written to' : `of ${seen.size} bytes, and has ${now.size} now`;
  throw new InvalidError(`${path} changed while it was being read: it was ${how}`, {
    code: 'file.changed',
    hint: 'the upload was cut short and nothing is stored; try again when the file is at rest',
  });
}
