import {
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { READ_FLAGS } from '../../disk/plain-file.ts';
import type { Database } from '../../sqlite/database.ts';
import { StoreError } from './database.ts';

/** The names of the files in which older stores had the bytes of a file. */
const BLOB_NAME = /^[0-9a-f]{18}(?:\.part)?$/;

/**
 * Adds the bytes that an older store has in a folder. Throws `StoreError` for a name that no emulator
 * has made: the store is untrusted.
 */
export function addOlderFiles(database: Database, folder: string): void {
  const sql = 'SELECT blob FROM files UNION SELECT blob FROM codes';
  for (const { blob } of database.all<{ blob: string }>(sql)) {
    if (!BLOB_NAME.test(blob)) {
      const named = JSON.stringify(blob);
      throw new StoreError(`the store names the file ${named}, which cannot be in ${folder}`);
    }
    const bytes = bytesOf(join(folder, blob));
    if (bytes !== undefined) database.write('INSERT INTO blobs VALUES (?, 0, ?)', [blob, bytes]);
  }
}

/** Undefined for a file that is missing: a download of it is answered with 404. */
function bytesOf(path: string): Buffer | undefined {
  try {
    const file = openSync(path, READ_FLAGS | (constants.O_NOFOLLOW ?? 0));
    try {
      return readFileSync(file);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new StoreError(`a file could not be read: ${code}`, { cause });
  }
}

/** Removes the files whose bytes are in the store, and the folder if nothing else is in it. */
export function removeOlderFiles(folder: string): void {
  try {
    for (const name of readdirSync(folder)) {
      if (BLOB_NAME.test(name)) rmSync(join(folder, name));
    }
    rmdirSync(folder);
  } catch {
    // There is none, or it has other files.
  }
}
