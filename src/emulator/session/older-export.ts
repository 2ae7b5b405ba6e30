import { createPrivateFile } from '../../disk/private-file.ts';
import { decodeUtf8, parseNative } from '../../json/index.ts';
import { createHash } from 'node:crypto';
import { Database, type Value } from '../../sqlite/database.ts';
import { TRAFFIC_SCHEMA } from '../review/stored-exchange.ts';
import { BODY_MAX_BYTES } from '../http/messages.ts';
import { openStoreDatabase } from '../store/database.ts';
import { VERSION_1 } from '../store/migrations.sql.ts';
import { DamagedSession } from './check.ts';

/**
 * The lines of an export of version 1: a head, then each record, row, attempt and piece of a file, and
 * at the end the number of lines and their SHA-256. Each kind has a field that only it has. What the
 * lines have is checked afterwards, in the database.
 */
const KINDS = ['format', 'collection', 'row', 'attempt', 'blob', 'end'] as const;

/** The head is short. No other line is longer than the largest row with each byte escaped. */
const HEAD_MAX_BYTES = 1000;
const LINE_MAX_BYTES = 2 * BODY_MAX_BYTES;

/** Makes a database of an export of version 1. Throws `DamagedSession`. */
export async function readOlderExport(
  chunks: AsyncIterable<Uint8Array>,
  file: string,
): Promise<void> {
  createPrivateFile(file);
  const database = new Database(file);
  try {
    database.execute(
      `${VERSION_1} CREATE TABLE pieces (id, piece INTEGER PRIMARY KEY, bytes); BEGIN`,
    );
    await readLines(chunks, database);
    database.execute('COMMIT; PRAGMA user_version = 1');
  } finally {
    database.close();
  }
  const addPieces = (older: Database): void =>
    older.execute(`INSERT INTO blobs
       SELECT id, row_number() OVER (PARTITION BY id ORDER BY piece) - 1, bytes FROM pieces;
     DROP TABLE pieces`);
  const migrated = openStoreDatabase(file, addPieces);
  migrated.execute(TRAFFIC_SCHEMA);
  migrated.close();
}

async function readLines(chunks: AsyncIterable<Uint8Array>, database: Database): Promise<void> {
  const hash = createHash('sha256');
  let [lines, isWhole] = [0, false];
  for await (const bytes of linesOf(chunks)) {
    const { kind, line } = lineOf(bytes, lines + 1);
    if (isWhole || (lines === 0) !== (kind === 'format')) {
      throw new DamagedSession(`line ${lines + 1} is not in its place`);
    }
    if (kind === 'end') {
      isWhole = line.lines === lines && line.sha256 === hash.digest('hex');
      if (!isWhole) throw new DamagedSession('its SHA-256 does not match');
      continue;
    }
    hash.update(bytes);
    lines++;
    const [sql, values] = INSERTS[kind](line);
    if (sql !== '') database.write(sql, values);
  }
  if (!isWhole) throw new DamagedSession('its end is missing');
}

type Line = Readonly<Record<string, unknown>>;
type Insert = readonly [sql: string, values: readonly Value[]];

const json = (value: unknown): string => JSON.stringify(value ?? null);
const bytesOf = (value: unknown, encoding?: BufferEncoding): Buffer =>
  Buffer.from(String(value), encoding);

/** What a line of each kind adds. */
const INSERTS: Readonly<Record<Exclude<(typeof KINDS)[number], 'end'>, (line: Line) => Insert>> = {
  format: () => ['', []],
  collection: ({ collection, id, item }) => [
    'INSERT OR REPLACE INTO records VALUES (?, ?, ?)',
    [String(collection), String(id), json(item)],
  ],
  row: ({ row, body }) => [
    'INSERT OR REPLACE INTO rows VALUES (?, ?)',
    [String(row), bytesOf(body)],
  ],
  attempt: ({ location, member, submitted, attempt, payload }) => [
    'INSERT INTO attempts VALUES (NULL, ?, ?, ?, ?, ?)',
    [String(location), String(member), Number(submitted), json(attempt), String(payload)],
  ],
  blob: ({ blob, bytes }) => [
    'INSERT INTO pieces (id, bytes) VALUES (?, ?)',
    [String(blob), bytesOf(bytes, 'base64')],
  ],
};

/** The lines of a text, with their line feeds. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest = Buffer.alloc(0);
  let most = HEAD_MAX_BYTES;
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n')) {
      yield rest.subarray(0, end + 1);
      rest = rest.subarray(end + 1);
      most = LINE_MAX_BYTES;
    }
    if (rest.length > most) throw new DamagedSession('a line is too long');
  }
  if (rest.length > 0) throw new DamagedSession('its last line is incomplete');
}

function lineOf(bytes: Uint8Array, number: number) {
  try {
    const line = parseNative(decodeUtf8(bytes)) as Line;
    const kind = KINDS.find((each) => Object.hasOwn(line, each));
    const isOther = kind === 'format' && (line.format !== FORMAT || line.version !== 1);
    if (kind !== undefined && !isOther) return { kind, line };
  } catch {
    // Refused below.
  }
  throw new DamagedSession(`line ${number} is not a line of an export`);
}

const FORMAT = 'lectern emulator export';
