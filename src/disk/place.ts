import { lstatSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';

/** Folders of a disk; they default to those of the process. */
export interface DiskFolders {
  /** The base of relative paths. */
  readonly folder?: string | undefined;
  /** The folder of temporary files, such as standard input. */
  readonly temporaryFolder?: string | undefined;
}

/** Resolves a path; without a `folder` it is unchanged. */
export function pathIn({ folder }: DiskFolders, path: string): string {
  return folder === undefined || isAbsolute(path) ? path : `${folder}/${path}`;
}

export function temporaryRoot({ temporaryFolder }: DiskFolders): string {
  return temporaryFolder ?? tmpdir();
}

/** Whether an absolute path, which may not exist yet, is in a folder when all links are followed. */
export function isInside(folder: string, path: string): boolean {
  const real = realPath(path);
  if (real === undefined) return false;
  const way = relative(realpathSync(folder), real);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Undefined for a link to nothing, through which a file could be created. */
function realPath(path: string): string | undefined {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    const folder = realPath(dirname(path));
    return folder && join(folder, basename(path));
  }
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
