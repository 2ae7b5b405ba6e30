import { type Violation, violation } from '../contract/index.ts';
import type { ColumnNames } from './columns.ts';
import type { ParsedRecord } from './parsed-record.ts';

/** So much of the first line tells what the file is. */
const HEAD_BYTES = 1 << 16;
/** A file that begins with more empty lines is empty. */
const MAX_EMPTY_BYTES = 4 << 20;

/** Reads the rows of CSV (`,` `;` or tab) or of one JSON object a line, told apart by how they begin. */
export async function* parseRecords(
  chunks: AsyncIterable<Uint8Array>,
  names: ColumnNames,
): AsyncGenerator<ParsedRecord[]> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    const { head, all } = await peek(iterator);
    const text = new TextDecoder().decode(head).trimStart();
    const fault = faultOf(head, text);
    if (fault) yield [{ line: 1, violations: [fault] }];
    else if (text.startsWith('{')) yield* (await import('./ndjson.ts')).readNdjson(all, names);
    else {
      const { readCsv } = await import('./csv.ts');
      yield* readCsv(all, firstLineOf(text), names);
    }
  } finally {
    // What is not read to its end is let go of; else who writes it would keep us here.
    await iterator.return?.();
  }
}

function faultOf(head: Uint8Array, text: string): Violation | undefined {
  if (text === '') return violation('grades.empty', '');
  // Spreadsheets save "Unicode text" as UTF-16, whose mark and zero bytes no UTF-8 has.
  if (head[0] === 0xff || head[0] === 0xfe || head.includes(0)) {
    return violation('grades.encoding', '');
  }
  if (text.startsWith('[')) return violation('grades.not_object', '', { found: 'an array' });
  return undefined;
}

/**
 * The beginning without the empty lines before it: the first line at least, unless it is very long.
 * And everything from the start.
 */
async function peek(
  iterator: AsyncIterator<Uint8Array>,
): Promise<{ head: Uint8Array; all: AsyncIterable<Uint8Array> }> {
  const seen: Uint8Array[] = [];
  let emptyBytes = 0;
  let headBytes = 0;
  while (headBytes < HEAD_BYTES && emptyBytes < MAX_EMPTY_BYTES) {
    const { value, done } = await iterator.next();
    if (done) break;
    seen.push(value);
    const start = headBytes > 0 ? 0 : startOfText(value);
    emptyBytes += start;
    headBytes += value.length - start;
    if (value.subarray(start).some(isLineBreak)) break;
  }
  return { head: Buffer.concat(seen).subarray(emptyBytes), all: resumed(seen, iterator) };
}

/** A byte order mark too. */
const SPACES = new Set(Buffer.from('\ufeff \t\r\n'));

function startOfText(bytes: Uint8Array): number {
  const start = bytes.findIndex((byte) => !SPACES.has(byte));
  return start === -1 ? bytes.length : start;
}

function isLineBreak(byte: number): boolean {
  return byte === 0x0a || byte === 0x0d;
}

function firstLineOf(text: string): string {
  return text.split(/[\r\n]/, 1)[0] as string;
}

async function* resumed(
  seen: readonly Uint8Array[],
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* seen;
  yield* { [Symbol.asyncIterator]: () => iterator };
}
