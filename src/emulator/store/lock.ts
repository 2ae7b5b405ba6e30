import { chmodSync, closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { checkPlainFile, readPlainFile } from '../../disk/plain-file.ts';
import { StoreError } from './store-error.ts';

const SQLITE_BUSY = 5;
const PRIVATE_MODE = 0o600;
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

/**
 * Locks a data folder until the returned function is called or the process ends in any way: a lock of
 * the operating system, by means of a database of its own, so that it can never be stale.
 */
export function lockFolder(folder: string, pid: number | undefined): () => void {
  const path = join(folder, 'lock.db');
  const pidFile = join(folder, 'lock.pid');
  for (const file of [path, `${path}-journal`, pidFile]) checkPlainFile(file);
  let database: DatabaseSyncInstance | undefined;
  try {
    // SQLite itself would create the file, and its journal, readable for others.
    keepPrivate(path);
    database = new DatabaseSync(path, { timeout: 0 });
    database.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    database?.close();
    if ((cause as { errcode?: number }).errcode === SQLITE_BUSY) {
      throw new DataInUseError(folder, readPid(pidFile));
    }
    throw new StoreError(`${path} cannot be used: ${(cause as Error).message}`, { cause });
  }
  writeFileSync(pidFile, `${pid ?? ''}\n`, { mode: PRIVATE_MODE });
  return () => database?.close();
}

/** An existing file is not opened: closing it would release a lock of this process on it (fcntl). */
function keepPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', PRIVATE_MODE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    chmodSync(path, PRIVATE_MODE);
  }
}

function readPid(path: string): number | undefined {
  try {
    return Number.parseInt(readPlainFile(path, MAX_PID_BYTES).toString(), 10) || undefined;
  } catch {
    return undefined;
  }
}
