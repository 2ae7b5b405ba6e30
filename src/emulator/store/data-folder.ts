import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../disk/private-file.ts';
import { checkPlainFile } from '../../disk/plain-file.ts';
import { DiskBlobs, MemoryBlobs, type Blobs } from './blobs.ts';
import { lockFolder } from './lock.ts';
import type { Collection } from './collection.ts';
import { Store } from './store.ts';

interface Ports {
  readonly api: number;
  readonly blobs: number;
}

/** The storage of a served emulator. */
export interface DataFolder {
  readonly store: Store;
  readonly blobs: Blobs;
  /** The last ports, so that the URLs of saved launches stay valid. */
  readonly lastPorts: () => Ports | undefined;
  readonly keepPorts: (ports: Ports) => void;
  readonly unlock: () => void;
}

/** Opens and locks a data folder; without one, storage in memory. */
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
    // SQLite creates its other files with the mode of this one; they contain tokens.
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
    unlock,
  };
}
