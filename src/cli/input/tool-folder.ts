import { join } from 'node:path';
import { isMangled } from '../../transfer/local-file.ts';
import type { Disk } from '../../ports.ts';
import type { FileBelow } from './folder.ts';
import { missingFile } from './missing-file.ts';

/** A file of a hosted tool that is still a folder; a link is told as one, and never followed. */
export interface ToolFileBelow extends FileBelow {
  readonly isLink: boolean;
}

/** The files and links below the folder of a hosted tool, in the order of their names. */
export async function* toolFilesBelow(
  disk: Disk,
  folder: string,
  prefix = '',
): AsyncGenerator<ToolFileBelow> {
  for (const entry of (await disk.listFolder(folder)).sort()) {
    const path = join(folder, entry);
    const name = prefix + entry;
    const facts = await disk.pathInfo(path);
    if (facts === undefined && isMangled(entry)) throw missingFile(path);
    if (facts?.kind === 'folder') yield* toolFilesBelow(disk, path, `${name}/`);
    else if (facts?.kind === 'file' || facts?.kind === 'link') {
      yield { name, path, facts, isLink: facts.kind === 'link' };
    }
  }
}
