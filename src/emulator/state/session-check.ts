import { createPrivateKey, type JsonWebKey } from 'node:crypto';
import { checkObject, truncate, valueAtPath } from '../../contract/index.ts';
import { parsePointer } from '../../json/index.ts';
import { checkShape, type ShapeFault } from '../../schema/check.ts';
import * as s from '../../schema/schema.ts';
import { Database } from '../../sqlite/database.ts';
import type { Vary } from '../freedom/vary.ts';
import { HttpError } from '../http/messages.ts';
import { STORE_MARK, STORE_VERSION } from '../store/database.ts';
import { STORE_SCHEMA } from '../store/schema.sql.ts';
import { Store } from '../store/store.ts';
import { GRADE_ATTEMPT } from './attempts.ts';
import { ROW_KEY } from './world.ts';
import { LAUNCH_KEY, tablesOf } from './records.ts';
import { checkSeed } from './seed/seed-check.ts';

/** What is given is no export, or was changed or cut. */
export class DamagedExport extends Error {
  override readonly name = 'DamagedExport';
}

/**
 * Checks everything that the emulator relies on in the database of an export, which may be of anybody.
 * Returns the freedoms that it was made with. Throws `DamagedExport`, or an `HttpError` for another version.
 */
export function checkSession(file: string): Vary | undefined {
  const database = new Database(file);
  try {
    // Nothing of its schema is run before it is known to be that of an emulator.
    database.execute('PRAGMA trusted_schema = OFF');
    checkSchema(database);
    return checkContent(new Store(database));
  } finally {
    database.close();
  }
}

function checkSchema(database: Database): void {
  if (database.value('PRAGMA application_id') !== STORE_MARK) {
    throw new DamagedExport('it is not the database of an emulator');
  }
  const version = Number(database.value('PRAGMA user_version'));
  if (version !== STORE_VERSION) {
    const message = `the export has version ${version}, this lectern reads ${STORE_VERSION}`;
    throw new HttpError(422, 'import.version', message);
  }
  const own = new Database(':memory:');
  own.execute(STORE_SCHEMA);
  const [known, given] = [own, database].map((each) => new Set(schemaOf(each)));
  own.close();
  const other = [...(known ?? []), ...(given ?? [])].find(
    (each) => !known?.has(each) || !given?.has(each),
  );
  if (other !== undefined) throw new DamagedExport(`its tables are others: ${truncate(other)}`);
  const problem = String(database.value('PRAGMA integrity_check(1)'));
  if (problem !== 'ok') throw new DamagedExport(problem.split('\n').at(-1));
}

function schemaOf(database: Database): string[] {
  const sql = `SELECT type || ' ' || name || ': ' || sql AS entry FROM sqlite_schema
    WHERE sql IS NOT NULL`;
  return database.all<{ entry: string }>(sql).map(({ entry }) => entry);
}

/** Files whose bytes are missing or have another size. */
const WRONG_SIZES = `
  WITH sizes AS (
    SELECT id, sum(length(bytes)) AS bytes FROM blobs GROUP BY id
    HAVING min(piece) = 0 AND max(piece) = count(*) - 1
  )
  SELECT key AS name FROM files LEFT JOIN sizes ON sizes.id = blob
    WHERE bytes IS NOT size AND NOT has_no_bytes
  UNION ALL SELECT tool FROM codes LEFT JOIN sizes ON sizes.id = blob WHERE bytes IS NOT zip_size`;

/** Rows whose key is another one than their names make. */
const WRONG_KEYS = `
  SELECT key AS name FROM rows WHERE key <> CASE kind
    WHEN 'context' THEN 'context/' || tool || '/' || course
    WHEN 'location' THEN 'location/' || tool || '/' || location
    WHEN 'member' THEN 'member/' || tool || '/' || member
    ELSE 'member_location/' || tool || '/' || location || '/' || member END`;

function checkContent(store: Store): Vary | undefined {
  const [broken] = store.all<{ table: string; parent: string }>('PRAGMA foreign_key_check');
  if (broken) throw new DamagedExport(`a record of ${broken.table} is of no ${broken.parent}`);
  for (const [sql, why] of [
    [WRONG_SIZES, 'the bytes are missing or have another size'],
    [WRONG_KEYS, 'the key of the row has other names'],
  ] as const) {
    const wrong = store.first<{ name: string }>(`${sql} LIMIT 1`);
    if (wrong) throw new DamagedExport(`${truncate(wrong.name)}: ${why}`);
  }
  const tables = tablesOf(store);
  for (const [name, table] of Object.entries(tables)) {
    for (const record of table.all()) refuseFault(name, record, checkShape(table.schema, record));
  }
  checkTexts(store);
  for (const { name, value } of tables.settings.all()) checkSetting(name, value);
  return tables.settings.get('vary')?.value as Vary | undefined;
}

function checkSetting(name: string, value: unknown): void {
  if (name === 'seed') refuseFault(name, value, checkSeed(value));
  else refuseFault(name, value, checkShape(name === 'vary' ? VARY : s.nonEmptyText, value));
  if (name !== LAUNCH_KEY) return;
  try {
    createPrivateKey({ key: JSON.parse(String(value)) as JsonWebKey, format: 'jwk' });
  } catch (cause) {
    throw new DamagedExport(`${name}: it is no private key`, { cause });
  }
}

const VARY = s.object({ seed: s.count, 'only?': s.list(s.text) });

/** Checks the rows, and the attempts, which are kept as texts. */
function checkTexts(store: Store): void {
  const rows = store.all<{ key: string }>('SELECT key FROM rows');
  for (const { key } of rows) {
    refuseFault('rows', key, checkShape(ROW_KEY, key));
    const { body } = store.first<{ body: Uint8Array | null }>(BODY, [key]) ?? { body: null };
    if (body !== null && checkObject(Buffer.from(body).toString())) {
      throw new DamagedExport(`the row ${key} is not a JSON object`);
    }
  }
  for (const { record, payload } of store.all<{ record: string; payload: string | null }>(
    ATTEMPTS,
  )) {
    const attempt: unknown = JSON.parse(record);
    refuseFault('attempts', attempt, checkShape(GRADE_ATTEMPT as s.Schema, attempt));
    if (payload !== null && checkObject(payload)) {
      throw new DamagedExport('the score of an attempt is not a JSON object');
    }
  }
}

const BODY = 'SELECT body FROM rows WHERE key = ?';
const ATTEMPTS = 'SELECT record, payload FROM attempts';

/** Names the first fault, and a text that is none, such as the key of a file. */
function refuseFault(table: string, value: unknown, [fault]: readonly ShapeFault[]): void {
  if (fault === undefined) return;
  const { path, message } = fault;
  const given = valueAtPath(value, parsePointer(path) ?? []);
  const text = typeof given === 'string' ? `, not ${JSON.stringify(truncate(given))}` : '';
  throw new DamagedExport(`${table}: ${path.slice(1)} ${message}${text}`);
}
