import { createPrivateKey, type JsonWebKey } from 'node:crypto';
import { statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { checkObject, truncate, valueAtPath } from '../../contract/index.ts';
import { parsePointer } from '../../json/index.ts';
import { checkShape, type ShapeFault } from '../../schema/check.ts';
import * as s from '../../schema/schema.ts';
import { Database } from '../../sqlite/database.ts';
import type { Vary } from '../freedom/vary.ts';
import { HttpError } from '../http/messages.ts';
import { TRAFFIC_SCHEMA, TRAFFIC_TABLES } from '../review/stored-exchange.ts';
import { readTexts } from '../review/traffic-file.ts';
import { GRADE_ATTEMPT } from '../state/attempts.ts';
import { INSTANT_MS, LAUNCH_KEY, tablesOf } from '../state/records.ts';
import { checkSeed } from '../state/seed/seed-check.ts';
import { ROW_KEY } from '../state/world.ts';
import { STORE_MARK, STORE_VERSION } from '../store/database.ts';
import { STORE_SCHEMA } from '../store/schema.sql.ts';
import { Store } from '../store/store.ts';
import { EXPORTED } from './export.ts';

/** What is given is no session, or was changed or cut. */
export class DamagedSession extends Error {
  override readonly name = 'DamagedSession';
}

/** What an emulator that takes a session must know of it. */
export interface SessionFacts {
  /** The freedoms that it was made with. */
  readonly vary: Vary | undefined;
  /** When it was exported, by the emulator's clock in ms since the epoch; undefined for older ones. */
  readonly exported: number | undefined;
}

/**
 * Checks everything that the emulator relies on in the file of a session, which is untrusted.
 * Rejects with `DamagedSession`, or with an `HttpError` for another version.
 */
export async function checkSession(file: string): Promise<SessionFacts> {
  const database = new Database(file);
  try {
    // Nothing of its schema is run before it is known to be that of an emulator.
    database.execute('PRAGMA trusted_schema = OFF');
    checkSchema(database);
    await checkTraffic(database);
    return await checkState(database);
  } finally {
    database.close();
  }
}

function checkSchema(database: Database): void {
  if (database.value('PRAGMA application_id') !== STORE_MARK) {
    throw new DamagedSession('it is not the database of an emulator');
  }
  const version = Number(database.value('PRAGMA user_version'));
  if (version !== STORE_VERSION) {
    const way = version > STORE_VERSION ? 'update lectern' : 'export it again';
    const message = `the export has version ${version}, this lectern reads ${STORE_VERSION}: ${way}`;
    throw new HttpError(422, 'import.version', message);
  }
  const own = new Database(':memory:');
  own.execute(STORE_SCHEMA + TRAFFIC_SCHEMA);
  const [known, given] = [own, database].map((each) => new Set(schemaOf(each)));
  own.close();
  const other = [...(known ?? []), ...(given ?? [])].find(
    (each) => !known?.has(each) || !given?.has(each),
  );
  if (other !== undefined) throw new DamagedSession(`its tables are others: ${truncate(other)}`);
  // SQLite itself reads the missing end of a last page as zeros.
  const bytes = database.value(
    'SELECT page_count * page_size FROM pragma_page_count, pragma_page_size',
  );
  if (bytes !== statSync(database.file).size) throw new DamagedSession('its end is missing');
  // For 2 GB it takes about a second.
  const problem = String(database.value('PRAGMA integrity_check(1)'));
  if (problem !== 'ok') throw new DamagedSession(problem.split('\n').at(-1));
}

function schemaOf(database: Database): string[] {
  const sql = `SELECT type || ' ' || name || ': ' || sql AS entry FROM sqlite_schema
    WHERE sql IS NOT NULL`;
  // Comments and line breaks are none of its meaning.
  return database
    .all<{ entry: string }>(sql)
    .map(({ entry }) => entry.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' '));
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

/** Checks records, with pauses in which the emulator answers. */
async function checkEach<Item>(items: Iterable<Item>, check: (item: Item) => void): Promise<void> {
  let checked = 0;
  for (const item of items) {
    check(item);
    if (++checked % CHECKED_AT_ONCE === 0) await setImmediate();
  }
}

const CHECKED_AT_ONCE = 1000;

async function checkTraffic(database: Database): Promise<void> {
  for (const [name, schema] of Object.entries<s.Schema>(TRAFFIC_TABLES)) {
    const rows = database.each<Record<string, unknown>>(`SELECT * FROM ${name}`);
    await checkEach(rows, (row) => {
      readTexts(row);
      refuseFault(name, row, checkShape(schema, row));
    });
  }
}

async function checkState(database: Database): Promise<SessionFacts> {
  const store = new Store(database);
  const [broken] = store.all<{ table: string; parent: string }>('PRAGMA foreign_key_check');
  if (broken) throw new DamagedSession(`a record of ${broken.table} is of no ${broken.parent}`);
  for (const [sql, why] of [
    [WRONG_SIZES, 'the bytes are missing or have another size'],
    [WRONG_KEYS, 'the key of the row has other names'],
  ] as const) {
    const wrong = store.first<{ name: string }>(`${sql} LIMIT 1`);
    if (wrong) throw new DamagedSession(`${truncate(wrong.name)}: ${why}`);
  }
  const tables = tablesOf(store);
  for (const [name, table] of Object.entries(tables)) {
    await checkEach<object>(table.all(), (record) =>
      refuseFault(name, record, checkShape(table.schema, record)),
    );
  }
  await checkTexts(database);
  for (const { name, value } of tables.settings.all()) checkSetting(name, value);
  const exported = tables.settings.get(EXPORTED)?.value;
  return {
    vary: tables.settings.get('vary')?.value as Vary | undefined,
    exported: exported === undefined ? undefined : Date.parse(exported as string),
  };
}

function checkSetting(name: string, value: unknown): void {
  if (name === 'seed') refuseFault(name, value, checkSeed(value));
  else refuseFault(name, value, checkShape(SETTINGS[name] ?? s.nonEmptyText, value));
  if (name !== LAUNCH_KEY) return;
  try {
    createPrivateKey({ key: JSON.parse(String(value)) as JsonWebKey, format: 'jwk' });
  } catch (cause) {
    throw new DamagedSession(`${name}: it is no private key`, { cause });
  }
}

const SETTINGS: Readonly<Record<string, s.Schema>> = {
  vary: s.object({ seed: s.count, 'only?': s.list(s.text) }),
  [EXPORTED]: s.instant,
};

/** Checks the rows with their versions, and the attempts, which are kept as texts. */
async function checkTexts(database: Database): Promise<void> {
  await checkEach(database.each<StoredBody>(BODIES), ({ key, version, size, body }) => {
    refuseFault('rows', key, checkShape(ROW_KEY, key));
    const isWhole = version === 0 ? size === null : size === body?.length;
    if (!isWhole || (body && checkObject(Buffer.from(body).toString()))) {
      throw new DamagedSession(`the row ${key} is not a JSON object`);
    }
  });
  await checkEach(database.each(VERSIONS), (version) =>
    refuseFault('row_versions', version, checkShape(VERSION, version)),
  );
  await checkEach(database.each<{ record: string; payload: string | null }>(ATTEMPTS), (each) => {
    const attempt: unknown = JSON.parse(each.record);
    refuseFault('attempts', attempt, checkShape(GRADE_ATTEMPT as s.Schema, attempt));
    if (each.payload !== null && checkObject(each.payload)) {
      throw new DamagedSession('the score of an attempt is not a JSON object');
    }
  });
}

interface StoredBody {
  readonly key: string;
  readonly version: number;
  readonly size: number | null;
  readonly body: Uint8Array | null;
}

const BODIES = `SELECT key, version, size, body FROM rows
  LEFT JOIN row_versions ON row = key AND number = version`;
const VERSIONS = `SELECT number, at, written_by, launch_id, typeof(body) AS body FROM row_versions`;
const VERSION = s.object({
  number: s.integerIn(1),
  at: INSTANT_MS,
  written_by: s.text,
  launch_id: s.nullable(s.text),
  body: s.oneOf('blob'),
});
const ATTEMPTS = 'SELECT record, payload FROM attempts';

/** Names the first fault, and a text that is none, such as the key of a file. */
function refuseFault(table: string, value: unknown, [fault]: readonly ShapeFault[]): void {
  if (fault === undefined) return;
  const { path, message } = fault;
  const given = valueAtPath(value, parsePointer(path) ?? []);
  const text = typeof given === 'string' ? `, not ${JSON.stringify(truncate(given))}` : '';
  throw new DamagedSession(`${table}: ${path.slice(1)} ${message}${text}`);
}
