import { join } from 'node:path';
import { hasInvalidUtf8 } from '../../transfer/local-file.ts';
import type { Disk } from '../../ports.ts';
import type { FileBelow } from './folder.ts';
import { missingFile } from './missing-file.ts';

/** A file of a hosted tool in a folder; a link is marked, and never followed. */
export interface ToolFileBelow extends FileBelow {
  readonly isLink: boolean;
}

/** Names that begin with a dot, such as `.git` and `.env`, are not meant for users of the tool. */
export function isHidden(name: string): boolean {
  return name.startsWith('.');
}

/** Options for names that begin with a dot. */
export interface FolderOptions {
  /** Leaves them out, and is called with each; a folder's name ends with a slash. */
  readonly leaveOut?: (name: string) => void;
}

/** The files and links below the folder of a hosted tool, in the order of their names. */
export async function* toolFilesBelow(
  disk: Disk,
  folder: string,
  options: FolderOptions = {},
  prefix = '',
): AsyncGenerator<ToolFileBelow> {
  for (const entry of (await disk.listFolder(folder)).sort()) {
    const path = join(folder, entry);
    const name = prefix + entry;
    const facts = await disk.pathInfo(path);
    const isFolder = facts?.kind === 'folder';
    if (options.leaveOut !== undefined && isHidden(entry)) {
      options.leaveOut(isFolder ? `${name}/` : name);
      continue;
    }
    if (facts === undefined && hasInvalidUtf8(entry)) throw missingFile(path);
    if (isFolder) yield* toolFilesBelow(disk, path, options, `${name}/`);
    else if (facts?.kind === 'file' || facts?.kind === 'link') {
      yield { name, path, facts, isLink: facts.kind === 'link' };
    }
  }
}
