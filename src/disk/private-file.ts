import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { rename } from 'node:fs/promises';
import { platform } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/** Readable and writable by the owner only. */
export const PRIVATE_MODE = 0o600;
export const PRIVATE_FOLDER_MODE = 0o700;
/** What a file or folder that is private denies to others. */
export const OTHERS_MODE = 0o077;

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

/**
 * Creates a folder and its missing parents; an existing one keeps its mode. Throws the system's error.
 * Node's `recursive` never returns for a folder such as `/proc/x`.
 */
export function makeFolder(path: string, mode = 0o777): void {
  const parent = dirname(path);
  if (!existsSync(parent)) makeFolder(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/** What Windows answers while another program, such as a virus scanner, has one of the files open. */
const IN_USE = ['EPERM', 'EBUSY', 'EACCES'];

/** They add up to about a second. */
const WAITS_MS: readonly number[] = [10, 20, 50, 100, 200, 300, 400];

/** Renames a file; on Windows again for a while where one of the two is in use. */
export async function renameFile(
  from: string,
  to: string,
  waits = platform() === 'win32' ? WAITS_MS : [],
): Promise<void> {
  for (const wait of waits) {
    try {
      return await rename(from, to);
    } catch (error) {
      if (!IN_USE.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
    await pause(wait);
  }
  await rename(from, to);
}

/** Makes a file or folder private, if the disk has modes and it is the user's own. */
export function makePrivate(path: string, mode: number): void {
  if (!isOpenToOthers(path)) return;
  try {
    chmodSync(path, mode);
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code);
    if (!['EPERM', 'ENOTSUP', 'EROFS'].includes(code)) throw error;
  }
}

/** Whether other users can use it; false on Windows, which has no modes. */
export function isOpenToOthers(path: string): boolean {
  if (platform() === 'win32') return false;
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && (stats.mode & OTHERS_MODE) !== 0;
}
