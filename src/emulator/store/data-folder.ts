import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../disk/make-folder.ts';
import { checkPlainFile } from '../../disk/plain-file.ts';
import { DiskBlobs, MemoryBlobs, type Blobs } from './blobs.ts';
import type { Emulator } from '../emulator.ts';
import { blobsOf } from './export.ts';
import { lockFolder } from './lock.ts';
import type { Collection } from './collection.ts';
import { Store } from './store.ts';

interface Ports {
  readonly api: number;
  readonly blobs: number;
}

/** Where a served emulator keeps everything, for as long as it runs. */
export interface DataFolder {
  readonly store: Store;
  readonly blobs: Blobs;
  /** The ports of the last time, so that the addresses in saved launches stay good. */
  readonly lastPorts: () => Ports | undefined;
  readonly keepPorts: (ports: Ports) => void;
  /** Removes what a process that was killed has left half done. */
  readonly sweep: (emulator: Emulator) => Promise<void>;
  readonly unlock: () => void;
}

/** Opens a data folder for this process alone; without one, storage that is gone with the process. */
export async function openDataFolder(
  folder: string | undefined,
  pid: number | undefined,
): Promise<DataFolder> {
  if (folder === undefined) return dataFolderOf(new Store(':memory:'), new MemoryBlobs(), () => {});
  makeFolder(folder, 0o700);
  const unlock = lockFolder(folder, pid);
  try {
    const blobs = await DiskBlobs.open(join(folder, 'files'));
    const database = join(folder, 'emulator.db');
    for (const file of ['', '-wal', '-shm']) checkPlainFile(database + file);
    // SQLite makes its other files with the mode of this one; tokens are in them.
    await (await open(database, 'a', 0o600)).close();
    return dataFolderOf(new Store(database), blobs, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

function dataFolderOf(store: Store, blobs: Blobs, unlock: () => void): DataFolder {
  const ports: Collection<Ports> = store.settings('ports');
  return {
    store,
    blobs,
    lastPorts: () => ports.get('last'),
    keepPorts: (used) => ports.set('last', used),
    sweep: ({ state }) => blobs.sweep(new Set(blobsOf(state))),
    unlock,
  };
}
