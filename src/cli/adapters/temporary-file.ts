import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, open, rename, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StateError } from '../errors.ts';
import type { TemporaryFile } from '../runtime.ts';

/** Those that exist now; the process removes them however it ends, short of being killed. */
const living = new Set<string>();

process.on('exit', () => {
  for (const path of living) rmSync(path, { force: true });
});

/**
 * A new file under a name that no file key can have: in the folder where it is to stay, or in the
 * machine's folder for such things, then readable by its owner only.
 */
export async function temporaryFile(folder?: string): Promise<TemporaryFile> {
  const path = join(folder ?? tmpdir(), `.lectern-${randomUUID()}.tmp`);
  const handle = await telling(path, async () => {
    if (folder !== undefined) await mkdir(folder, { recursive: true });
    living.add(path);
    return open(path, 'wx', folder === undefined ? 0o600 : 0o666);
  });
  let size = 0;
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) await handle.close();
    isOpen = false;
  };
  return {
    path,
    write: (chunk) =>
      telling(path, async () => {
        let written = 0;
        while (written < chunk.length) {
          const rest = chunk.length - written;
          written += (await handle.write(chunk, written, rest, size + written)).bytesWritten;
        }
        size += chunk.length;
      }),
    restart: () =>
      telling(path, async () => {
        await handle.truncate(0);
        size = 0;
      }),
    moveTo: (target, modified) =>
      telling(target, async () => {
        await close();
        if (modified !== undefined) await utimes(path, modified / 1000, modified / 1000);
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

/** A full disk or a folder that may not be written to is the machine's doing, and no bug. */
async function telling<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new StateError(`${path} cannot be written: ${why}`, undefined, { cause: error });
  }
}
