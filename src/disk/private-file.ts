import { closeSync, openSync } from 'node:fs';

/** Readable and writable by the owner only. */
export const PRIVATE_MODE = 0o600;

/**
 * Creates an empty file that is private to the owner; false if it exists. An existing file is never
 * opened: closing it would release the locks that this process has on it (POSIX locks go with any
 * descriptor of the file, see fcntl).
 */
export function createPrivateFile(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', PRIVATE_MODE));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}
