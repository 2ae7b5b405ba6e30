import { join } from 'node:path';
import { UsageError } from '../../errors.ts';
import type { Disk, PathInfo } from '../../ports.ts';
import { hasInvalidUtf8 } from '../../transfer/local-file.ts';

/** A file or link below a folder, at any depth; `facts` are of the link itself. */
export interface FileBelow {
  /** Relative to the folder, with slashes. */
  readonly name: string;
  readonly path: string;
  readonly facts: PathInfo;
  readonly isLink: boolean;
}

/** Names that begin with a dot, such as `.git` and `.env`, are not meant for users of a tool. */
export function isHidden(name: string): boolean {
  return name.startsWith('.');
}

/**
 * The files and links below a folder, in the order of their names, but for hidden ones: these are added
 * to `leftOut`, a folder with a slash at its end. Links are not followed.
 */
export async function* entriesBelow(
  disk: Disk,
  folder: string,
  leftOut: string[] = [],
  prefix = '',
): AsyncGenerator<FileBelow> {
  for (const entry of (await disk.listFolder(folder)).sort()) {
    const path = join(folder, entry);
    const name = prefix + entry;
    const facts = await disk.pathInfo(path);
    const isFolder = facts?.kind === 'folder';
    if (isHidden(entry)) {
      leftOut.push(isFolder ? `${name}/` : name);
      continue;
    }
    if (facts === undefined && hasInvalidUtf8(entry)) throw missingFile(path);
    if (isFolder) yield* entriesBelow(disk, path, leftOut, `${name}/`);
    else if (facts?.kind === 'file' || facts?.kind === 'link') {
      yield { name, path, facts, isLink: facts.kind === 'link' };
    }
  }
}

/** The same with links to files only: a link to a folder may lead in a circle. */
export async function* filesBelow(disk: Disk, folder: string): AsyncGenerator<FileBelow> {
  for await (const file of entriesBelow(disk, folder)) {
    const target = file.isLink ? await disk.pathInfo(file.path, { followLinks: true }) : file.facts;
    if (target?.kind === 'file') yield file;
  }
}

/** The error for a path that does not exist, though a folder may list it. */
export function missingFile(path: string): UsageError {
  return new UsageError(
    `no such file: ${JSON.stringify(path)}`,
    hasInvalidUtf8(path)
      ? 'a file name that is not valid UTF-8 cannot be opened: rename the file, or pass it on standard input'
      : undefined,
  );
}
