import { type FileHandle, open, rename, rm, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from './make-folder.ts';
import { reasonOf } from './system-error.ts';
import { StateError } from '../errors.ts';
import type { Disk, TemporaryFile } from '../ports.ts';
import { pathIn, type Place, temporaryRoot } from './place.ts';
import { isTemporaryName, temporaryName } from './temporary-name.ts';
import { removeAtExit, removeStaleFiles } from './stale-files.ts';
import { pathInfo, toPathInfo } from './open-file.ts';

/** The temporary files of a process. */
interface Kept {
  readonly where: Place;
  /** Those that exist now: `atExit` has them removed, unless the process is killed. */
  readonly living: Set<string>;
  /** Folders from which what others have left is gone. */
  readonly swept: Set<string>;
}

/** Makes temporary files. What `atExit` is given removes those that exist when it is called. */
export function createTemporaryFiles(
  where: Place,
  atExit?: (remove: () => void) => unknown,
): Pick<Disk, 'temporaryFile' | 'ignoresCase'> {
  const kept: Kept = { where, living: new Set(), swept: new Set() };
  atExit?.(() => kept.living.forEach(removeAtExit));
  return {
    temporaryFile: (folder, options) => temporaryFile(kept, folder, options),
    ignoresCase: (folder) => ignoresCase(kept, folder),
  };
}

/**
 * A new file under a name that no file key can have: in the folder where it is to stay, or in the
 * machine's folder for such things. One there, or with a secret, is readable by its owner only.
 */
async function temporaryFile(
  { where, living, swept }: Kept,
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
      const age = folder === undefined ? LEFT_AMONG_OTHERS_MS : LEFT_BEHIND_MS;
      await removeStaleFiles(at, isTemporaryName, age);
    }
    living.add(path);
    return open(path, 'wx+', isPrivate ? 0o600 : 0o666);
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
    write: (chunk) => withStateError(place, () => writer.write(chunk)),
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
        await rename(path, pathIn(where, target));
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

/** What is on its way is written to more often than that. */
const LEFT_BEHIND_MS = 3_600_000;
/** Standard input, which is kept among the machine's temporary files, may be slow in coming. */
const LEFT_AMONG_OTHERS_MS = 86_400_000;

/** What comes from the network in small pieces goes to the disk in larger ones. */
const GATHERED_BYTES = 768 << 10;

function bufferedWriter(handle: FileHandle) {
  let gathered: Uint8Array[] = [];
  let gatheredSize = 0;
  let position = 0;
  const flush = async (): Promise<void> => {
    const piece = Buffer.concat(gathered);
    gathered = [];
    gatheredSize = 0;
    let written = 0;
    while (written < piece.length) {
      written += (await handle.write(piece, written, piece.length - written, position + written))
        .bytesWritten;
    }
    position += piece.length;
  };
  return {
    flush,
    write: async (chunk: Uint8Array): Promise<void> => {
      gathered.push(chunk);
      gatheredSize += chunk.length;
      if (gatheredSize >= GATHERED_BYTES) await flush();
    },
    restart: async (): Promise<void> => {
      gathered = [];
      gatheredSize = 0;
      position = 0;
      await handle.truncate(0);
    },
  };
}

async function setModified(path: string, ms: number): Promise<void> {
  // Cut off at microseconds on the way to the disk, 0.31 s would become 0.309999.
  const seconds = ms / 1000 + 5e-7;
  await utimes(path, seconds, seconds);
}

/** Whether two names in a folder that differ by case only are one. */
async function ignoresCase(kept: Kept, folder: string): Promise<boolean> {
  const { path, discard } = await temporaryFile(kept, folder);
  try {
    const sameInCapitals = join(dirname(path), basename(path).toUpperCase());
    return (await pathInfo(sameInCapitals)) !== undefined;
  } finally {
    await discard();
  }
}

/** A full disk or a folder that may not be written to is the machine's doing, and no bug. */
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
