import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { DatabaseSync } from '@photostructure/sqlite';

/** Runs a statement in the database of a data folder; its rows. */
export function query<Row>(data: string, sql: string): Row[] {
  const database = new DatabaseSync(join(data, 'emulator.db'));
  try {
    return database.prepare(sql).all() as Row[];
  } finally {
    database.close();
  }
}

/** Makes the data of lectern 1.0.0 in a folder (at commit 6cad3a9), with one file, whose path is the result. */
export function makeOlder(data: string): string {
  const packed = readFileSync(new URL('older/version-1.sqlite.gz', import.meta.url));
  writeFileSync(join(data, 'emulator.db'), gunzipSync(packed));
  const sql = `SELECT json ->> 'blob' AS blob FROM records WHERE collection = 'files'`;
  const [file] = query<{ blob: string }>(data, sql);
  mkdirSync(join(data, 'files'));
  const path = join(data, 'files', file?.blob ?? '');
  writeFileSync(path, 'hello\n');
  return path;
}
