import { chmodSync, closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { checkPlainFile, readPlainFile } from '../../disk/plain-file.ts';
import { StoreError } from './store-error.ts';

const SQLITE_BUSY = 5;
const PRIVATE = 0o600;
const MOST_OF_PID = 64;

/** The data folder is in use by another process. */
export class DataInUseError extends Error {
  override readonly name = 'DataInUseError';
  /** The process that uses it, where it could be told. */
  readonly pid: number | undefined;

  constructor(folder: string, pid: number | undefined) {
    super(`${folder} is in use by ${pid === undefined ? 'another process' : `process ${pid}`}`);
    this.pid = pid;
  }
}

/**
 * Takes a data folder for this process until the returned function is called or the process ends,
 * however it ends: the operating system's own lock, taken by way of a database of its own, so that
 * nothing is left behind that could be stale.
 */
export function lockFolder(folder: string, pid: number | undefined): () => void {
  const path = join(folder, 'lock.db');
  const pidFile = join(folder, 'lock.pid');
  for (const file of [path, `${path}-journal`, pidFile]) checkPlainFile(file);
  let database: DatabaseSyncInstance | undefined;
  try {
    // SQLite makes a file that others may read, and its journal like the file.
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
  writeFileSync(pidFile, `${pid ?? ''}\n`, { mode: PRIVATE });
  return () => database?.close();
}

/** A file that is there may be locked, which closing it would end for the whole process: see fcntl. */
function keepPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', PRIVATE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    chmodSync(path, PRIVATE);
  }
}

function readPid(path: string): number | undefined {
  try {
    return Number.parseInt(readPlainFile(path, MOST_OF_PID).toString(), 10) || undefined;
  } catch {
    return undefined;
  }
}
