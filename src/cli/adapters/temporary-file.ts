import { rmSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { StateError } from '../errors.ts';
import type { TemporaryFile } from '../runtime.ts';
import { isTemporaryName, temporaryName } from '../shared/temporary-name.ts';
import { facts, toFacts } from './open-file.ts';

/** Those that exist now; the process removes them however it ends, short of being killed. */
const living = new Set<string>();

process.on('exit', () => {
  for (const path of living) rmSync(path, { force: true });
});

/**
 * A new file under a name that no file key can have: in the folder where it is to stay, or in the
 * machine's folder for such things. One there, or with a secret, is readable by its owner only.
 */
export async function temporaryFile(
  folder?: string,
  options: { readonly secret?: boolean } = {},
): Promise<TemporaryFile> {
  const place = folder ?? tmpdir();
  const isPrivate = folder === undefined || options.secret === true;
  const path = join(place, temporaryName());
  const handle = await telling(place, async () => {
    if (folder !== undefined) {
      await mkdir(folder, { recursive: true });
      // What stays does no harm.
      await sweep(folder).catch(() => {});
    }
    living.add(path);
    return open(path, 'wx+', isPrivate ? 0o600 : 0o666);
  });
  const writer = gatheringWriter(handle);
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
    write: (chunk) => telling(place, () => writer.write(chunk)),
    facts: () =>
      telling(place, async () => {
        await writer.flush();
        return toFacts(await handle.stat());
      }),
    restart: () => telling(place, () => writer.restart()),
    seal: (modified) => telling(place, () => seal(modified)),
    moveTo: (target) =>
      telling(target, async () => {
        if (isOpen) await seal();
        await rename(path, target);
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

const swept = new Set<string>();
/** What is on its way is written to more often than that. */
const LEFT_BEHIND_MS = 3_600_000;

/** Takes away, once, what a lectern that was killed has left in a folder. */
async function sweep(folder: string): Promise<void> {
  if (swept.has(folder)) return;
  swept.add(folder);
  for (const name of (await readdir(folder)).filter(isTemporaryName)) {
    const path = join(folder, name);
    const found = await facts(path);
    const age = Date.now() - (found?.modified ?? Date.now());
    if (found?.kind === 'file' && age > LEFT_BEHIND_MS) await rm(path, { force: true });
  }
}

/** What comes from the network in small pieces goes to the disk in larger ones. */
const GATHERED_BYTES = 768 << 10;

function gatheringWriter(handle: FileHandle) {
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
export async function ignoresCase(folder: string): Promise<boolean> {
  const file = await temporaryFile(folder);
  try {
    return (await facts(join(folder, basename(file.path).toUpperCase()))) !== undefined;
  } finally {
    await file.discard();
  }
}

/** A full disk or a folder that may not be written to is the machine's doing, and no bug. */
export async function telling<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new StateError(`${path} cannot be written to: ${why}`, undefined, { cause: error });
  }
}
