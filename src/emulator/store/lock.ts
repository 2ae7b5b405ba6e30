import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FileLock, lockFile } from '../../sqlite/locks.ts';
import { checkPlainFile, readPlainFile } from '../../disk/plain-file.ts';
import { createPrivateFile, PRIVATE_MODE } from '../../disk/private-file.ts';
import { StoreError } from './store-error.ts';

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
export function lockFolder(folder: string, pid: number | undefined): () => void {
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
    return lockFile(path, 'exclusive');
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
