import { tmpdir } from 'node:os';
import { isAbsolute } from 'node:path';

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
