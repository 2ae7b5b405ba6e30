import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { checkObject, truncate, valueAtPath } from '../../contract/index.ts';
import { decodeUtf8, parseNative, parsePointer } from '../../json/index.ts';
import type { BlobWriter } from '../store/blobs.ts';
import { type Vary, varyText } from '../freedom/vary.ts';
import { blobsOf, fileId, removeBlob } from './files.ts';
import { FORMAT, isMachineSetting, LINES, VERSION, type ExportLine } from './export.ts';
import { BODY_MAX_BYTES, HttpError, type PlainRequest } from '../http/messages.ts';
import { checkShape, type ShapeFault } from '../../schema/check.ts';
import type * as s from '../../schema/schema.ts';
import { RECORDS } from './records.ts';
import { checkSeed } from './seed/seed-check.ts';
import type { EmulatorState } from './state.ts';
import type { Contents, StoredRecord } from '../store/store.ts';
import type { StoredFile, ToolCode } from './records.ts';

/**
 * Replaces all state with an export. Its files are stored first, under other names; the rest is one
 * commit, after the export was read completely. A damaged one is refused and changes nothing.
 */
export async function importState(state: EmulatorState, body: PlainRequest['body']): Promise<void> {
  const staging = new Staging(state);
  try {
    await readLines(body, (line, bytes) => staging.take(line, bytes));
    const contents = await staging.finish();
    refuseOtherVary(state, contents);
    const before = blobsOf(state);
    state.store.replace(contents);
    state.timestamps.forget();
    for (const blob of before) removeBlob(state, blob);
    await state.store.whenDurable();
  } catch (error) {
    await staging.abandon();
    throw error;
  }
}

/** The addresses that an export handed out have the shapes of its seed. */
function refuseOtherVary({ vary }: EmulatorState, { records }: Contents): void {
  const kept = records.find(({ collection }) => collection === 'vary');
  const own = kept && varyText(JSON.parse(kept.json) as Vary);
  if (own === (vary && varyText(vary))) return;
  const made = own === undefined ? 'without --vary' : `with --vary ${own}`;
  const way = `import it into an emulator that was started ${made}`;
  throw new HttpError(
    422,
    'import.vary',
    `the export was made ${made}: ${way}; nothing was changed`,
  );
}

function damaged(why: string): HttpError {
  return new HttpError(422, 'import.damaged', `not a valid export: ${why}; nothing was changed`);
}

/** A fault of the line that is being read. */
class DamagedLine extends Error {
  override readonly name = 'DamagedLine';
}

/** Reads each line. After a damaged one the rest is dropped, so that the caller can read the response. */
async function readLines(
  body: PlainRequest['body'],
  take: (line: ExportLine, bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const lines = new Lines();
  const chunks = (body instanceof Uint8Array ? Readable.from([body]) : body)[
    Symbol.asyncIterator
  ]();
  try {
    // Not `for await`: ending it early would end the connection too.
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      for (const bytes of lines.add(next.value)) await take(parsed(bytes), bytes);
    }
    lines.end();
  } catch (error) {
    void dropRest(chunks);
    throw error instanceof DamagedLine ? damaged(`line ${lines.line}: ${error.message}`) : error;
  }
}

/** The response is sent at the same time, and the caller may disconnect. */
async function dropRest(chunks: AsyncIterator<Uint8Array>): Promise<void> {
  try {
    while (!(await chunks.next()).done);
  } catch {
    // The caller disconnected.
  }
}

/** The head is short. No other line is longer than the largest row with each byte escaped. */
const HEAD_MAX_BYTES = 1000;
const LINE_MAX_BYTES = 2 * BODY_MAX_BYTES;

/** Splits bytes into lines, including their line feeds. */
class Lines {
  #parts: Uint8Array[] = [];
  #size = 0;
  #maxBytes = HEAD_MAX_BYTES;
  /** The number of the current line. */
  line = 1;

  *add(chunk: Uint8Array): Generator<Uint8Array> {
    let from = 0;
    for (let to = chunk.indexOf(LINE_FEED); to !== -1; to = chunk.indexOf(LINE_FEED, from)) {
      this.#take(chunk.subarray(from, to + 1));
      yield Buffer.concat(this.#parts);
      this.#parts = [];
      this.#size = 0;
      this.#maxBytes = LINE_MAX_BYTES;
      this.line++;
      from = to + 1;
    }
    // A copy: the buffer of the chunk may be reused.
    if (from < chunk.length) this.#take(Buffer.from(chunk.subarray(from)));
  }

  #take(bytes: Uint8Array): void {
    this.#parts.push(bytes);
    this.#size += bytes.length;
    if (this.#size > this.#maxBytes) throw new DamagedLine('it is too long');
  }

  end(): void {
    if (this.#size > 0) throw new DamagedLine('it is incomplete');
  }
}

const LINE_FEED = 0x0a;

function parsed(bytes: Uint8Array): ExportLine {
  try {
    const line = parseNative(decodeUtf8(bytes));
    if (typeof line === 'object' && line !== null) return line as ExportLine;
  } catch {
    // The checks below report it.
  }
  throw new DamagedLine('it is not a JSON object');
}

/** The collections whose records refer to a blob. */
const COLLECTIONS_WITH_BLOBS: ReadonlySet<string> = new Set(['files', 'codes']);

/** The part of an export that was read so far. */
class Staging {
  readonly #state: EmulatorState;
  readonly #hash = createHash('sha256');
  readonly #records: StoredRecord[] = [];
  readonly #rows: [string, Uint8Array][] = [];
  readonly #attempts: Contents['attempts'][number][] = [];
  /** New IDs of the blobs, by their ID in the export. */
  readonly #blobs = new Map<string, string>();
  #open: { readonly blob: string; readonly writer: BlobWriter } | undefined;
  #lines = 0;
  #isWhole = false;

  constructor(state: EmulatorState) {
    this.#state = state;
  }

  async take(line: ExportLine, bytes: Uint8Array): Promise<void> {
    if (this.#isWhole) throw new DamagedLine('the export has ended before it');
    if (this.#lines === 0) checkHead(line);
    if ('end' in line) {
      this.#checkEnd(line);
      return;
    }
    this.#hash.update(bytes);
    this.#lines++;
    await this.#keep(line);
  }

  async #keep(line: ExportLine): Promise<void> {
    checkLine(line);
    if ('collection' in line) {
      const { collection, id, item } = line;
      if (!isMachineSetting(collection))
        this.#records.push({ collection, id, json: JSON.stringify(item) });
    } else if ('row' in line) {
      this.#rows.push([line.row, Buffer.from(line.body)]);
    } else if ('attempt' in line) {
      const { attempt, ...more } = line;
      this.#attempts.push({ ...more, json: JSON.stringify(attempt) });
    } else if ('blob' in line) {
      await this.#writeBlob(line.blob, Buffer.from(line.bytes, 'base64'));
    }
  }

  async #writeBlob(name: string, bytes: Uint8Array): Promise<void> {
    if (this.#open !== undefined && this.#open.blob !== name) await this.#finishBlob();
    if (this.#open === undefined) {
      const id = this.#state.newId();
      this.#blobs.set(name, id);
      this.#open = { blob: name, writer: await this.#state.blobs.create(id) };
    }
    await this.#open.writer.write(bytes);
  }

  async #finishBlob(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.writer.finish();
  }

  #checkEnd(end: Extract<ExportLine, { end: true }>): void {
    if (end.lines !== this.#lines) throw damaged(`it has ${this.#lines} of ${end.lines} lines`);
    if (end.sha256 !== this.#hash.digest('hex')) throw damaged('its SHA-256 does not match');
    this.#isWhole = true;
  }

  /** All contents, with the new IDs of the files. */
  async finish(): Promise<Contents> {
    await this.#finishBlob();
    if (!this.#isWhole) throw damaged('its end is missing');
    const records = this.#records.map((record) =>
      COLLECTIONS_WITH_BLOBS.has(record.collection) ? this.#renamed(record) : record,
    );
    const place = this.#state.store
      .records()
      .filter(({ collection }) => isMachineSetting(collection));
    const [rows, attempts] = [this.#rows, this.#attempts];
    return { records: [...records, ...place], rows, attempts };
  }

  #renamed(record: StoredRecord): StoredRecord {
    const named = JSON.parse(record.json) as StoredFile | ToolCode;
    if ('hasNoBytes' in named && named.hasNoBytes) return record;
    const blob = this.#blobs.get(named.blob);
    if (blob === undefined) throw damaged(`the bytes of ${record.id} are missing`);
    return { ...record, json: JSON.stringify({ ...named, blob }) };
  }

  async abandon(): Promise<void> {
    await this.#open?.writer.abandon();
    for (const id of this.#blobs.values()) await this.#state.blobs.remove(id);
  }
}

function checkHead(line: ExportLine): void {
  if (!('format' in line) || line.format !== FORMAT)
    throw new DamagedLine('it is not the head of an export');
  if (line.version === VERSION) return;
  const message = `the export has format ${line.version}, this lectern reads ${VERSION}`;
  throw new HttpError(422, 'import.version', message);
}

/** Checks the content of a line, which the store does not check. */
function checkLine(line: ExportLine): void {
  const [, schema] = Object.entries(LINES).find(([field]) => Object.hasOwn(line, field)) ?? [];
  if (schema === undefined) throw new DamagedLine('it has unknown content');
  refuseFault(line, checkShape(schema as s.Schema, line));
  if ('collection' in line && !isMachineSetting(line.collection)) checkRecord(line);
  const object = 'row' in line ? line.body : 'attempt' in line ? line.payload || '{}' : '{}';
  if (checkObject(object)) throw new DamagedLine('its content is not a JSON object');
}

function checkRecord({ collection, id, item }: Extract<ExportLine, { collection: string }>): void {
  const schema = Object.hasOwn(RECORDS, collection) ? RECORDS[collection] : undefined;
  if (schema === undefined && collection !== 'seed') {
    throw new DamagedLine(`the collection ${JSON.stringify(truncate(collection))} is unknown`);
  }
  refuseFault(item, schema === undefined ? checkSeed(item) : checkShape(schema, item));
  const own = collection === 'files' ? idOfFile(item as StoredFile) : (item as { id?: string }).id;
  if (own !== undefined && own !== id) {
    throw new DamagedLine(`it has another ID than its content: ${JSON.stringify(truncate(id))}`);
  }
}

function idOfFile({ row, key }: StoredFile): string {
  return fileId(row, key);
}

/** Names the first fault, and a text that is none, such as the key of a file. */
function refuseFault(value: unknown, [fault]: readonly ShapeFault[]): void {
  if (fault === undefined) return;
  const { path, message } = fault;
  const given = valueAtPath(value, parsePointer(path) ?? []);
  const text = typeof given === 'string' ? `, not ${JSON.stringify(truncate(given))}` : '';
  throw new DamagedLine(`${path.slice(1)} ${message}${text}`.trim());
}
