import { readdir, rm } from 'node:fs/promises';
import { platform } from 'node:os';
import type { Disk } from '../ports.ts';
import { openFile, pathInfo, unreadable } from './open-file.ts';
import { pathIn, type Place } from './place.ts';
import { createTemporaryFiles, withStateError } from './temporary-file.ts';
import { isTemporaryName } from './temporary-name.ts';

/** What may be set of a disk. */
export interface DiskOptions extends Place {
  /** The operating system, as Node names it: its rules for file names hold. */
  readonly platform?: string;
  /**
   * Has a function called when the process ends, which removes the files that were not whole by then:
   * `(remove) => process.once('exit', remove)`. Whatever stays is removed by a later transfer into the
   * same folder, once it is an hour old.
   */
  readonly atExit?: (remove: () => void) => unknown;
}

/**
 * The machine's files, for the functions that transfer files. A file is written under a temporary
 * name in its folder and renamed when it is whole. Its methods throw `UsageError` for what cannot be
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
    return (await readdir(path)).filter((name) => !isTemporaryName(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw unreadable(path, error);
  }
}
