import { readFile } from 'node:fs/promises';
import { getAsset, isSea } from 'node:sea';

/** `dist`, from the files that are in it, and from the source. */
const FOLDERS = ['../dist/', '../../dist/'];

/** A file that the build leaves in `dist`, and that an executable carries in itself; undefined without it. */
export async function readPackaged(name: string): Promise<string | undefined> {
  if (isSea()) return getAsset(name, 'utf8');
  for (const folder of FOLDERS) {
    try {
      return await readFile(new URL(folder + name, import.meta.url), 'utf8');
    } catch {
      // Not there: the next one.
    }
  }
  return undefined;
}
