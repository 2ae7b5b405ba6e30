import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileSystem } from './file-system.ts';
import { Handle } from './handle.ts';
import { makeFolder } from './make-folder.ts';
import { reasonOf } from './system-error.ts';
import { StateError } from '../errors.ts';
import type { Disk, TemporaryFile } from '../ports.ts';
import { pathIn, type DiskFolders, temporaryRoot } from './place.ts';
import { isTemporaryName, temporaryName } from './temporary-name.ts';
import { removeAtExit, removeStaleFiles } from './stale-files.ts';
import { pathInfo, toPathInfo } from './open-file.ts';

/** The temporary files of a process. */
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
 * temporary files. One there, or with a secret, is readable by its owner only.
 */
async function temporaryFile(
  { where, existing: living, swept }: TemporaryFiles,
  folder?: string,
  options: { readonly secret?: boolean } = {},
): Promise<TemporaryFile> {
  const place = folder ?? temporaryRoot(where);
  const isPrivate = folder === undefined || options.secret === true;
  const at = pathIn(where, place);
  const path = join(at, temporaryName());
  const handle = await withStateError(place, async () => {
    if (folder !== undefined) makeFolder(at);
    if (!swept.has(at)) {
      swept.add(at);
      const age = folder === undefined ? STALE_INPUT_MS : STALE_MS;
      await removeStaleFiles(at, isTemporaryName, age);
    }
    living.add(path);
    return Handle.open(path, 'wx+', isPrivate ? 0o600 : 0o666);
  });
  const writer = bufferedWriter(handle);
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) await handle.close();
    isOpen = false;
  };
  const seal = async (modified?: number): Promise<void> => {
    await writer.flush();
    await close();
    if (modified !== undefined) await setModified(path, modified);
  };
  return {
    path,
    write: (chunk) => {
      const written = writer.write(chunk);
      return written && withStateError(place, () => written);
    },
    pathInfo: () =>
      withStateError(place, async () => {
        await writer.flush();
        return toPathInfo(await handle.stat());
      }),
    restart: () => withStateError(place, () => writer.restart()),
    seal: (modified) => withStateError(place, () => seal(modified)),
    moveTo: (target) =>
      withStateError(target, async () => {
        if (isOpen) await seal();
        await fileSystem.rename(path, pathIn(where, target));
        living.delete(path);
      }),
    discard: async () => {
      await close();
      if (!living.has(path)) return;
      await rm(path, { force: true });
      living.delete(path);
    },
  };
}

/** A file in use is written more often than that. */
const STALE_MS = 3_600_000;
/** Standard input, which is kept in a temporary file, may be slow. */
const STALE_INPUT_MS = 86_400_000;

/** Small pieces from the network are written to the disk in larger ones. */
const BUFFER_BYTES = 768 << 10;

/** Gathers pieces while those before them are being written. An error is thrown by the call after. */
function bufferedWriter(handle: Handle) {
  let gathered: Uint8Array[] = [];
  let gatheredSize = 0;
  let position = 0;
  let writing: Promise<void> | undefined;
  const writeGathered = async (): Promise<void> => {
    let pieces = gathered;
    gathered = [];
    gatheredSize = 0;
    while (pieces.length > 0) {
      const written = await handle.write(pieces, position);
      position += written;
      pieces = after(pieces, written);
    }
  };
  const begin = async (): Promise<void> => {
    await writing;
    writing = writeGathered();
    // Whoever waits for it next is told.
    writing.catch(() => {});
  };
  return {
    flush: async (): Promise<void> => {
      await begin();
      await writing;
    },
    write: (chunk: Uint8Array): Promise<void> | undefined => {
      gathered.push(chunk);
      gatheredSize += chunk.length;
      return gatheredSize >= BUFFER_BYTES ? begin() : undefined;
    },
    restart: async (): Promise<void> => {
      gathered = [];
      gatheredSize = 0;
      if (writing === undefined) return;
      await writing.catch(() => {});
      writing = undefined;
      position = 0;
      await handle.truncate(0);
    },
  };
}

async function setModified(path: string, ms: number): Promise<void> {
  // The system truncates to microseconds: 0.31 s would become 0.309999.
  const seconds = ms / 1000 + 5e-7;
  await fileSystem.utimes(path, seconds, seconds);
}

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

/** What is left of pieces after so many bytes: a disk may take less than it was given. */
function after(pieces: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let skipped = bytes;
  return pieces.flatMap((piece) => {
    const rest = piece.subarray(Math.min(skipped, piece.length));
    skipped -= piece.length - rest.length;
    return rest.length > 0 ? [rest] : [];
  });
}
