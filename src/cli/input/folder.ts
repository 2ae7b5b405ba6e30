import { join } from 'node:path';
import type { Disk, PathInfo } from '../../ports.ts';
import { missingFile } from './missing-file.ts';
import { hasInvalidUtf8 } from '../../transfer/local-file.ts';

/** A file below a folder, at any depth. */
export interface FileBelow {
  /** Relative to the folder, with slashes. */
  readonly name: string;
  readonly path: string;
  readonly facts: PathInfo;
}

/**
 * The files below a folder, in the order of their names. A link to a file counts; a link to a
 * folder is not followed, since it may lead in a circle.
 */
export async function* filesBelow(
  disk: Disk,
  folder: string,
  prefix = '',
): AsyncGenerator<FileBelow> {
  for (const entry of (await disk.listFolder(folder)).sort()) {
    const path = join(folder, entry);
    const name = prefix + entry;
    const facts = await disk.pathInfo(path, { followLinks: true });
    if (facts === undefined && hasInvalidUtf8(entry)) throw missingFile(path);
    if (facts?.kind === 'file') yield { name, path, facts };
    else if (facts?.kind === 'folder' && (await disk.pathInfo(path))?.kind === 'folder')
      yield* filesBelow(disk, path, `${name}/`);
  }
}
