import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  type Stats,
  statSync,
} from 'node:fs';

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
 * The bytes of a plain file of at most `most` bytes. Throws `UnusableFileError` for anything else, and
 * the system's errors. A symbolic link is followed unless `followLinks` is false (then ELOOP).
 */
export function readPlainFile(path: string, most: number, { followLinks = true } = {}): Buffer {
  const fd = openSync(path, READ_FLAGS | (followLinks ? 0 : (constants.O_NOFOLLOW ?? 0)));
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new UnusableFileError(path, `it is ${fileKindOf(stats)}`);
    const tooLarge = new UnusableFileError(path, `it has more than ${most} bytes`);
    if (stats.size > most) throw tooLarge;
    const bytes = readFileSync(fd);
    // A file of `/proc` has a size of 0.
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
  if (stats && !stats.isFile()) throw new UnusableFileError(path, `it is ${fileKindOf(stats)}`);
}

/** The kind of a path that is not a plain file, with its article. */
export function fileKindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe, not a file';
  if (stats.isSocket()) return 'a socket, not a file';
  return 'a device, not a file';
}
