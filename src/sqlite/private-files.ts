import { lstatSync, type Stats, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import {
  createPrivateFile,
  isOpenToOthers,
  makeFolder,
  makePrivate,
  PRIVATE_FOLDER_MODE,
  PRIVATE_MODE,
} from '../disk/private-file.ts';
import { checkPlainFile, UnusableFileError } from '../disk/plain-file.ts';
import { SqliteError } from './error.ts';

/** The files SQLite keeps beside its own; it creates them with the mode of the main one. */
function siblings(file: string): string[] {
  return [file, `${file}-wal`, `${file}-shm`];
}

/**
 * Refuses files that SQLite would open silently: a link, whose log it would put elsewhere; a pipe, for
 * which it would wait; another user's file, beside which it would create files that lock its owner out;
 * and a log without its file, which it would delete. `what` is the file in words, as `the ledger`.
 *
 * @throws {SqliteError} `unusable`
 */
export function refuseUnusableFiles(file: string, what: string): void {
  const refuse = (path: string, message: string): never => {
    throw new SqliteError('unusable', message, { file: path });
  };
  // Checked first: a log never exists before its file.
  const isLogKept = sizeOf(`${file}-wal`) > 0;
  for (const path of siblings(file)) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink()) {
      refuse(path, `${what} is a symbolic link, which is not followed: use the file itself`);
    }
    if (stats && belongsToAnother(stats)) {
      refuse(path, `${what} belongs to another user`);
    }
    try {
      checkPlainFile(path);
    } catch (error) {
      if (!(error instanceof UnusableFileError)) throw error;
      refuse(path, `${what} cannot be used: ${error.reason}`);
    }
  }
  if (isLogKept && sizeOf(file) === 0) {
    const message = `the log of ${what} exists, but ${what} does not: restore it, or move the log aside`;
    refuse(`${file}-wal`, message);
  }
}

/**
 * Whether a part of the last page is missing, which SQLite would read as zeros. While there is a log, a
 * checkpoint may be in progress, and the log has the complete page.
 */
export function isTruncated(file: string, pageBytes: number): boolean {
  // The log is checked last: it is emptied when the file is complete.
  return sizeOf(file) % pageBytes !== 0 && sizeOf(`${file}-wal`) === 0;
}

function belongsToAnother({ uid }: Stats): boolean {
  try {
    const own = userInfo().uid;
    return own !== NO_UID && uid !== own;
  } catch {
    // A user without an entry, as in some containers.
    return false;
  }
}

/** The uid on systems without users. */
const NO_UID = -1;

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Creates the file and its folder, if missing, and makes them private to the owner whatever the umask.
 * An existing file is never opened: closing it would release the locks that SQLite holds on it in this
 * process (POSIX locks go with any descriptor of the file).
 */
export function keepPrivate(file: string): void {
  createPrivate(file);
  makePrivate(dirname(file), PRIVATE_FOLDER_MODE);
  for (const each of siblings(file)) makePrivate(each, PRIVATE_MODE);
}

/** Whether the files and their folder are private to the owner; true on Windows, which has no modes. */
export function isPrivate(file: string): boolean {
  return [dirname(file), ...siblings(file)].every((each) => !isOpenToOthers(each));
}

/** Creates an empty file, and its folder, unless they exist. */
export function createPrivate(file: string): void {
  makeFolder(dirname(file), PRIVATE_FOLDER_MODE);
  createPrivateFile(file);
}
