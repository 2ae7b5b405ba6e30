import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';

/** A path that is not a plain file of an acceptable size: a folder, a pipe, a device, too large. */
export class UnusableFileError extends Error {
  override readonly name = 'UnusableFileError';
  readonly path: string;
  /** A clause such as `it is a folder`. */
  readonly reason: string;

  constructor(path: string, reason: string) {
    super(`${path} cannot be read: ${reason}`);
    this.path = path;
    this.reason = reason;
  }
}

/**
 * With plain `r`, opening a pipe without a writer would block a thread that no signal reaches. Windows
 * has none of these flags.
 */
export const READ_FLAGS =
  constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/**
 * Opens a plain file for reading; the caller closes the descriptor. Throws `UnusableFileError` for
 * anything else, and the system's errors. A symbolic link is followed unless `followLinks` is false
 * (then ELOOP).
 */
export function openPlainFile(
  path: string,
  { followLinks = true } = {},
): { fd: number; stats: Stats } {
  const fd = openSync(path, READ_FLAGS | (followLinks ? 0 : (constants.O_NOFOLLOW ?? 0)));
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new UnusableFileError(path, `it is ${kindOf(stats)}`);
    return { fd, stats };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/**
 * The bytes of a plain file of at most `most` bytes. Throws what `openPlainFile` throws, and
 * `UnusableFileError` for a larger one. Synchronous: waking a thread takes longer than reading a file.
 */
export function readPlainFile(
  path: string,
  most: number,
  options: { readonly followLinks?: boolean } = {},
): Buffer {
  const { fd, stats } = openPlainFile(path, options);
  try {
    const tooLarge = new UnusableFileError(path, `it has more than ${most} bytes`);
    if (stats.size > most) throw tooLarge;
    const bytes = readToEnd(fd, stats.size, most + 1);
    // Some files report no size (/proc), and a file may grow while it is read.
    if (bytes.length > most) throw tooLarge;
    return bytes;
  } finally {
    closeSync(fd);
  }
}

/**
 * Throws `UnusableFileError` if a path exists and is not a plain file. For files that a library opens
 * itself: SQLite would wait for a pipe forever.
 */
export function checkPlainFile(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats && !stats.isFile()) throw new UnusableFileError(path, `it is ${kindOf(stats)}`);
}

/** The rest of an open file, up to `most` bytes; `expected` is its probable size. */
function readToEnd(fd: number, expected: number, most: number): Buffer {
  const pieces: Buffer[] = [];
  let size = 0;
  // One byte more than expected, so that the end is reached in the same piece.
  let piece = Buffer.allocUnsafe(Math.min(expected + 1, most));
  let filled = 0;
  while (size < most) {
    const read = readSync(fd, piece, filled, piece.length - filled, null);
    if (read === 0) break;
    filled += read;
    size += read;
    if (filled < piece.length) continue;
    pieces.push(piece);
    piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, most - size) || 1);
    filled = 0;
  }
  return Buffer.concat([...pieces, piece.subarray(0, filled)]);
}

const PIECE_BYTES = 64 * 1024;

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe, not a file';
  if (stats.isSocket()) return 'a socket, not a file';
  return 'a device, not a file';
}
