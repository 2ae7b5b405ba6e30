import { chmodSync, closeSync, openSync, statSync } from 'node:fs';
import { platform } from 'node:os';
import { dirname } from 'node:path';
import { makeFolder } from '../disk/make-folder.ts';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const OTHERS = 0o077;

/** The files SQLite keeps beside its own; it creates them with the mode of the main one. */
function siblings(file: string): string[] {
  return [file, `${file}-wal`, `${file}-shm`];
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
