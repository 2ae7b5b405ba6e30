import { readdir, rm } from 'node:fs/promises';
import { platform } from 'node:os';
import type { Disk } from '../ports.ts';
import { openFile, pathInfo, unreadable } from './open-file.ts';
import { pathIn, type DiskFolders } from './place.ts';
import { createTemporaryFiles, withStateError } from './temporary-file.ts';
import { isTransferName } from './stale-files.ts';

/** Options of a disk; all have defaults. */
export interface DiskOptions extends DiskFolders {
  /** The operating system as in `os.platform()`, which decides the rules for file names. */
  readonly platform?: string;
  /**
   * Registers a function to be called when the process ends, which removes incomplete files:
   * `(remove) => process.once('exit', remove)`. Files that remain are removed by a later transfer into
   * the same folder, once they are an hour old.
   */
  readonly atExit?: (remove: () => void) => unknown;
}

/**
 * The local file system, for the functions that transfer files. A file is written under a temporary name
 * in its folder, and renamed when it is complete. Its methods throw `UsageError` for what cannot be
 * read, and `StateError` for what cannot be written.
 *
 * @example
 * const files = openFiles(client, claims, 'location', { disk: createDisk() });
 */
export function createDisk(options: DiskOptions = {}): Disk {
  const at = (path: string): string => pathIn(options, path);
  return {
    platform: options.platform ?? platform(),
    listFolder: (path) => listFolder(at(path)),
    pathInfo: (path, how) => pathInfo(at(path), how),
    openFile: (path, seen) => openFile(at(path), seen),
    remove: (path) => withStateError(path, () => rm(at(path), { force: true })),
    ...createTemporaryFiles(options, options.atExit),
  };
}

async function listFolder(path: string): Promise<string[]> {
  try {
    return (await readdir(path)).filter((name) => !isTransferName(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw unreadable(path, error);
  }
}
