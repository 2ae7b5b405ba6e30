import { statSync } from 'node:fs';
import { chmod, lstat, open, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder, PRIVATE_FOLDER_MODE, PRIVATE_MODE, renameFile } from './private-file.ts';
import { pathInfo, reasonOf, toPathInfo } from './open-file.ts';
import { StateError } from '../errors.ts';
import type { Disk, TemporaryFile } from '../ports.ts';
import { pathIn, type DiskFolders, temporaryRoot } from './place.ts';
import { isTransferName, removeAtExit, removeStaleFiles, transferName } from './stale-files.ts';

interface TemporaryFiles {
  readonly where: DiskFolders;
  /** Files that exist now; removed at exit. */
  readonly existing: Set<string>;
  /** Folders whose stale files were removed. */
  readonly swept: Set<string>;
}

/** Creates temporary files. The function passed to `atExit` removes those that still exist. */
export function createTemporaryFiles(
  where: DiskFolders,
  atExit?: (remove: () => void) => unknown,
): Pick<Disk, 'temporaryFile' | 'ignoresCase'> {
  const kept: TemporaryFiles = { where, existing: new Set(), swept: new Set() };
  atExit?.(() => kept.existing.forEach(removeAtExit));
  return {
    temporaryFile: (folder, options) => temporaryFile(kept, folder, options),
    ignoresCase: (folder) => ignoresCase(kept, folder),
  };
}

/**
 * A new file under a name that no file key can have: in its target folder, or in the folder for
 * temporary files. One there, or with a secret, is readable by its owner only; another keeps the mode
 * of the file that it replaces.
 */
async function temporaryFile(
  { where, existing, swept }: TemporaryFiles,
  folder?: string,
  options: { readonly secret?: boolean } = {},
): Promise<TemporaryFile> {
  const place = folder ?? temporaryRoot(where);
  const isPrivate = folder === undefined || options.secret === true;
  const at = pathIn(where, place);
  const path = join(at, transferName());
  const handle = await withStateError(place, async () => {
    if (folder !== undefined) makeFolder(at, isPrivate ? PRIVATE_FOLDER_MODE : undefined);
    if (!swept.has(at)) {
      swept.add(at);
      const age = folder === undefined ? STALE_INPUT_MS : STALE_MS;
      await removeStaleFiles(at, isTransferName, age);
    }
    existing.add(path);
    return open(path, 'ax', isPrivate ? PRIVATE_MODE : 0o666);
  });
  let isSealed = false;
  const seal = async (modified?: number): Promise<void> => {
    if (isSealed) return;
    isSealed = true;
    if (modified !== undefined) {
      // The system truncates to microseconds: 0.31 s would become 0.309999.
      const seconds = modified / 1000 + 5e-7;
      await handle.utimes(seconds, seconds);
    }
    await handle.close();
  };
  return {
    path,
    write: (chunk) => withStateError(place, () => handle.appendFile(chunk)),
    pathInfo: () => withStateError(place, async () => toPathInfo(await lstat(path))),
    restart: () => withStateError(place, () => handle.truncate(0)),
    seal: (modified) => withStateError(place, () => seal(modified)),
    moveTo: (target) =>
      withStateError(target, async () => {
        await seal();
        const to = pathIn(where, target);
        const replaced = statSync(to, { throwIfNoEntry: false });
        if (replaced && !isPrivate) await chmod(path, replaced.mode & 0o777);
        await renameFile(path, to);
        existing.delete(path);
      }),
    discard: async () => {
      await handle.close();
      if (!existing.has(path)) return;
      await rm(path, { force: true });
      existing.delete(path);
    },
  };
}

/** A file in use is written more often than that. */
const STALE_MS = 3_600_000;
/** Standard input, which is kept in a temporary file, may be slow. */
const STALE_INPUT_MS = 86_400_000;

/** Whether names in a folder that differ only by case are the same file. */
async function ignoresCase(kept: TemporaryFiles, folder: string): Promise<boolean> {
  const { path, discard } = await temporaryFile(kept, folder);
  try {
    const sameInCapitals = join(dirname(path), basename(path).toUpperCase());
    return (await pathInfo(sameInCapitals)) !== undefined;
  } finally {
    await discard();
  }
}

/** Turns an error of the disk, such as a full disk, into a `StateError`. */
export async function withStateError<Value>(
  path: string,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    const message = `${path} cannot be written to: ${reasonOf(error)}`;
    throw new StateError(message, 'check its permissions and the free space', { cause: error });
  }
}
