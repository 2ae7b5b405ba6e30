import { chmodSync, closeSync, lstatSync, openSync, type Stats, statSync } from 'node:fs';
import { platform, userInfo } from 'node:os';
import { dirname } from 'node:path';
import { makeFolder } from '../../disk/make-folder.ts';
import { checkPlainFile, UnusableFileError } from '../../disk/plain-file.ts';
import { LedgerError } from '../error.ts';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const OTHERS = 0o077;

/** The files SQLite keeps beside its own; it creates them with the mode of the main one. */
function siblings(file: string): string[] {
  return [file, `${file}-wal`, `${file}-shm`];
}

/**
 * Refuses what SQLite would open without a word: a link, whose log it would keep elsewhere; a pipe,
 * which it would wait for; another user's file, beside which it would leave files that lock its
 * owner out; and a log without its ledger, which it would delete. Throws `LedgerError`.
 */
export function refuseOddFiles(file: string): void {
  const refuse = (path: string, words: string): never => {
    throw new LedgerError('foreign', path, words);
  };
  // Looked at first: a log is never there before the file that it belongs to.
  const isLogKept = sizeOf(`${file}-wal`) > 0;
  for (const path of siblings(file)) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink()) {
      refuse(
        path,
        'the ledger is a symbolic link, which is not followed: put the file itself there',
      );
    }
    if (stats && isAnothers(stats)) {
      refuse(path, 'the ledger belongs to another user');
    }
    try {
      checkPlainFile(path);
    } catch (error) {
      if (!(error instanceof UnusableFileError)) throw error;
      refuse(path, `the ledger cannot be used: ${error.reason}`);
    }
  }
  if (isLogKept && sizeOf(file) === 0) {
    const words =
      'the log of the ledger is there, and the ledger is not: bring it back, or move the log aside';
    refuse(`${file}-wal`, words);
  }
}

/**
 * Whether a part of the last page is missing, which SQLite would read as zeros. While there is a log,
 * a checkpoint may be under way, and the log has that page whole.
 */
export function isCutShort(file: string, pageBytes: number): boolean {
  // The log is looked at last: it is emptied when the file is whole.
  return sizeOf(file) % pageBytes !== 0 && sizeOf(`${file}-wal`) === 0;
}

function isAnothers({ uid }: Stats): boolean {
  try {
    const own = userInfo().uid;
    return own !== NO_USERS && uid !== own;
  } catch {
    // A user without a name, as in some containers.
    return false;
  }
}

/** The uid where the system has none. */
const NO_USERS = -1;

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Makes the file and its folder exist and be the owner's alone, whatever the umask. A file that
 * exists is never opened here: closing it would drop the locks that SQLite holds on it in this
 * process (POSIX locks go with any descriptor of the file).
 */
export function keepPrivate(file: string): void {
  createPrivate(file);
  tighten(dirname(file), FOLDER_MODE);
  for (const each of siblings(file)) tighten(each, FILE_MODE);
}

/** Whether the files and their folder are the owner's alone. Windows has no such modes: yes. */
export function isPrivate(file: string): boolean {
  return [dirname(file), ...siblings(file)].every((each) => !isOpenToOthers(each));
}

/** Makes an empty file, and its folder, unless they exist. */
export function createPrivate(file: string): void {
  makeFolder(dirname(file), FOLDER_MODE);
  try {
    closeSync(openSync(file, 'wx', FILE_MODE));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

function tighten(path: string, mode: number): void {
  if (!isOpenToOthers(path)) return;
  try {
    chmodSync(path, mode);
  } catch (error) {
    // Someone else's folder, or a file system without modes: `health` tells.
    if (!['EPERM', 'ENOTSUP', 'EROFS'].includes(codeOf(error))) throw error;
  }
}

function isOpenToOthers(path: string): boolean {
  if (platform() === 'win32') return false;
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && (stats.mode & OTHERS) !== 0;
}

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code);
}
