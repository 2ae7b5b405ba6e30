import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { checkPlainFile, readPlainFile } from '../../disk/plain-file.ts';
import { createPrivateFile, makeFolder, PRIVATE_MODE } from '../../disk/private-file.ts';
import { type FileLock, lockFile } from '../../sqlite/locks.ts';
import { isStore, openStoreDatabase, StoreError } from './database.ts';
import { addOlderFiles, removeOlderFiles } from './older-files.ts';
import { Store } from './store.ts';

export interface Ports {
  readonly api: number;
  readonly blobs: number;
}

/** The ports that were used last, so that the URLs of saved launches stay valid. */
export function lastPorts(store: Store): Ports | undefined {
  const ports = store.all<{ name: string; port: number }>('SELECT name, port FROM ports');
  const { api, blobs } = Object.fromEntries(ports.map(({ name, port }) => [name, port]));
  return api === undefined || blobs === undefined ? undefined : { api, blobs };
}

export function keepPorts(store: Store, { api, blobs }: Ports): void {
  const sql = "INSERT OR REPLACE INTO ports VALUES ('api', ?, '[]'), ('blobs', ?, '[]')";
  store.write(sql, [api, blobs]);
}

/** The storage of a served emulator. */
export interface DataFolder {
  readonly store: Store;
  /** Where the traffic is kept; '' without a folder. */
  readonly trafficFile: string;
  readonly unlock: () => void;
}

/**
 * Opens and locks a data folder; without one, storage in memory. A folder that is not empty and was not
 * made by an emulator is refused and left as it is.
 *
 * @throws {StoreError}
 */
export async function openDataFolder(
  folder: string | undefined,
  pid: number | undefined,
): Promise<DataFolder> {
  if (folder === undefined) return { store: Store.open(), trafficFile: '', unlock: () => {} };
  makeFolder(folder, 0o700);
  checkOwn(folder);
  const unlock = lockFolder(folder, pid);
  try {
    const database = join(folder, DATABASE);
    const traffic = join(folder, TRAFFIC);
    for (const file of ['', '-wal', '-shm']) {
      checkPlainFile(database + file);
      checkPlainFile(traffic + file);
    }
    // SQLite creates its other files with the mode of this one; they contain tokens.
    await (await open(database, 'a', 0o600)).close();
    const files = join(folder, 'files');
    const store = new Store(openStoreDatabase(database, (older) => addOlderFiles(older, files)));
    removeOlderFiles(files);
    return { store, trafficFile: traffic, unlock };
  } catch (error) {
    unlock();
    throw error;
  }
}

const DATABASE = 'emulator.db';
const TRAFFIC = 'traffic.db';
/** What is in a folder before its database is marked: a killed process may leave it so. */
const UNMARKED = new Set([DATABASE, `${DATABASE}-journal`, 'lock.db', 'lock.pid']);

function checkOwn(folder: string): void {
  const entries = readdirSync(folder, { withFileTypes: true });
  const link = entries.find((entry) => entry.isSymbolicLink());
  if (link !== undefined) {
    throw new StoreError(
      `${folder} is not used: ${link.name} in it is a link, and a data folder has none`,
    );
  }
  const mark = isStore(join(folder, DATABASE));
  if (mark === true || (mark === undefined && entries.every(({ name }) => UNMARKED.has(name))))
    return;
  throw new StoreError(
    `${folder} is not used: it is not empty, and it is not the data folder of an emulator`,
  );
}

const MAX_PID_BYTES = 64;

/** The data folder is in use by another process. */
export class DataInUseError extends Error {
  override readonly name = 'DataInUseError';
  /** The process that uses it, if known. */
  readonly pid: number | undefined;

  constructor(folder: string, pid: number | undefined) {
    super(`${folder} is in use by ${pid === undefined ? 'another process' : `process ${pid}`}`);
    this.pid = pid;
  }
}

/** Locks a data folder until the returned function is called or the process ends in any way. */
function lockFolder(folder: string, pid: number | undefined): () => void {
  const path = join(folder, 'lock.db');
  const pidFile = join(folder, 'lock.pid');
  for (const file of [path, `${path}-journal`, pidFile]) checkPlainFile(file);
  const lock = acquire(path);
  if (lock === undefined) throw new DataInUseError(folder, readPid(pidFile));
  writeFileSync(pidFile, `${pid ?? ''}\n`, { mode: PRIVATE_MODE });
  return () => lock.release();
}

function acquire(path: string): FileLock | undefined {
  try {
    // SQLite itself would create the file readable for others.
    if (!createPrivateFile(path)) chmodSync(path, PRIVATE_MODE);
    return lockFile(path);
  } catch (cause) {
    throw new StoreError(`${path} cannot be used: ${(cause as Error).message}`, { cause });
  }
}

function readPid(path: string): number | undefined {
  try {
    return Number.parseInt(readPlainFile(path, MAX_PID_BYTES).toString(), 10) || undefined;
  } catch {
    return undefined;
  }
}
