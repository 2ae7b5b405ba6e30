import { tmpdir } from 'node:os';
import { isAbsolute } from 'node:path';

/** Where files are; the process's own folders where one is left out. */
export interface Place {
  /** Where relative paths start. */
  readonly folder?: string | undefined;
  /** Where temporary files are that belong to no other folder. */
  readonly temporaryFolder?: string | undefined;
}

/** A path as the system takes it. In the process's own folder it stays as it was typed. */
export function pathIn({ folder }: Place, path: string): string {
  return folder === undefined || isAbsolute(path) ? path : `${folder}/${path}`;
}

/** The folder for temporary files. */
export function temporaryRoot({ temporaryFolder }: Place): string {
  return temporaryFolder ?? tmpdir();
}
