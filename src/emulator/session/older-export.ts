import { createPrivateFile } from '../../disk/private-file.ts';
import { decodeUtf8, parseNative } from '../../json/index.ts';
import { createHash } from 'node:crypto';
import { Database } from '../../sqlite/database.ts';
import * as s from '../../schema/schema.ts';
import { matches } from '../../schema/check.ts';
import { TRAFFIC_SCHEMA } from '../review/stored-exchange.ts';
import { BODY_MAX_BYTES } from '../http/messages.ts';
import { openStoreDatabase } from '../store/database.ts';
import { VERSION_1 } from '../store/migrations.sql.ts';
import { DamagedSession } from './check.ts';

/**
 * The lines of an export of version 1: a head, then each record, row, attempt and piece of a file, and
 * at the end the number of lines and their SHA-256. Each kind has a field that only it has.
 */
const LINES = {
  format: s.object({ format: s.oneOf('lectern emulator export'), version: s.oneOf(1) }),
  collection: s.object({ ...s.texts('collection', 'id'), item: s.any }),
  row: s.object(s.texts('row', 'body')),
  attempt: s.object({
    attempt: s.anyObject,
    submitted: s.anyNumber,
    ...s.texts('location', 'member', 'payload'),
  }),
  blob: s.object(s.texts('blob', 'bytes')),
  end: s.object({ end: s.oneOf(true), lines: s.anyNumber, sha256: s.text }),
};

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
    const line = parsed(bytes, lines + 1);
    const kind = kindOf(line, lines + 1);
    if (isWhole || (lines === 0) !== (kind === 'format')) {
      throw new DamagedSession(`line ${lines + 1} is not in its place`);
    }
    if (kind === 'end') isWhole = line.lines === lines && line.sha256 === hash.digest('hex');
    if (kind === 'end' && !isWhole) throw new DamagedSession('its SHA-256 does not match');
    if (kind === 'end') continue;
    hash.update(bytes);
    lines++;
    store(database, kind, line);
  }
  if (!isWhole) throw new DamagedSession('its end is missing');
}

type Line = Readonly<Record<string, unknown>>;

function store(database: Database, kind: keyof typeof LINES, line: Line): void {
  const json = (value: unknown): string => JSON.stringify(value);
  const text = (name: string): string => line[name] as string;
  if (kind === 'collection') {
    const values = [text('collection'), text('id'), json(line.item)];
    database.write('INSERT OR REPLACE INTO records VALUES (?, ?, ?)', values);
  } else if (kind === 'row') {
    database.write('INSERT OR REPLACE INTO rows VALUES (?, ?)', [
      text('row'),
      Buffer.from(text('body')),
    ]);
  } else if (kind === 'attempt') {
    const { location, member, submitted } = line as Record<string, string>;
    database.write('INSERT INTO attempts VALUES (NULL, ?, ?, ?, ?, ?)', [
      location ?? '',
      member ?? '',
      submitted ?? 0,
      json(line.attempt),
      text('payload'),
    ]);
  } else if (kind === 'blob') {
    const bytes = Buffer.from(text('bytes'), 'base64');
    database.write('INSERT INTO pieces (id, bytes) VALUES (?, ?)', [text('blob'), bytes]);
  }
}

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

function parsed(bytes: Uint8Array, number: number): Line {
  try {
    const line = parseNative(decodeUtf8(bytes));
    if (typeof line === 'object' && line !== null) return line as Line;
  } catch {
    // Refused below.
  }
  throw new DamagedSession(`line ${number} is not a JSON object`);
}

function kindOf(line: Line, number: number): keyof typeof LINES {
  const kinds = Object.keys(LINES) as (keyof typeof LINES)[];
  const kind = kinds.find((each) => Object.hasOwn(line, each));
  if (kind !== undefined && matches(LINES[kind] as s.Schema, line)) return kind;
  throw new DamagedSession(`line ${number} is not a line of an export`);
}
