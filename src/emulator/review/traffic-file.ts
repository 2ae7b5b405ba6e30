import { rmSync } from 'node:fs';
import { createPrivateFile } from '../../disk/private-file.ts';
import { Database } from '../../sqlite/database.ts';
import { causeText, StoreError } from '../store/database.ts';
import { TRAFFIC_SCHEMA } from './stored-exchange.ts';

const VERSION = 2;

/** What cannot be used is replaced: the service does not depend on its traffic. */
export function openTraffic(file: string): Database {
  if (file === '') return prepared(file);
  try {
    createPrivateFile(file);
    return prepared(file);
  } catch {
    try {
      for (const each of ['', '-wal', '-shm']) rmSync(file + each, { force: true });
      createPrivateFile(file);
      return prepared(file);
    } catch {
      return prepared('');
    }
  }
}

function prepared(file: string): Database {
  const errorOf = (cause: unknown): StoreError =>
    new StoreError(`the traffic could not be read: ${causeText(cause)}`, { cause });
  const database = new Database(file, { errorOf });
  try {
    // No write waits for the disk: what is lost in a power failure are the last exchanges.
    database.value(`PRAGMA journal_mode = ${file === '' ? 'MEMORY' : 'WAL'}`);
    database.execute('PRAGMA synchronous = OFF');
    const version = database.value('PRAGMA user_version');
    if (version === VERSION) return database;
    if (version !== 0) throw new StoreError(`the traffic is of another version: ${version}`);
    database.execute(`BEGIN; ${TRAFFIC_SCHEMA} PRAGMA user_version = ${VERSION}; COMMIT`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** A text with a NUL in it is stored as bytes. */
export function readTexts(row: Record<string, unknown>): void {
  for (const name in row) {
    const value = row[name];
    if (value instanceof Uint8Array) row[name] = Buffer.from(value).toString();
  }
}
