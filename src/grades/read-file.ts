import { type Violation, violation } from '../contract/index.ts';
import type { Columns } from './columns.ts';
import type { ParsedRecord } from './parsed-record.ts';
import type { RecordOptions } from './suggest-columns.ts';

/** How much of the first line is examined. */
const HEAD_BYTES = 1 << 16;
/** A file that begins with more white space counts as empty. */
const MAX_EMPTY_BYTES = 4 << 20;

/** Reads records from CSV (`,` `;` or tab) or from one JSON object per line, as the file begins. */
export async function* parseRecords(
  chunks: AsyncIterable<Uint8Array>,
  columns: Columns,
  options: RecordOptions,
): AsyncGenerator<ParsedRecord[]> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    const { head, all } = await peek(iterator);
    const text = new TextDecoder().decode(head).trimStart();
    const fault = faultOf(head, text);
    if (fault) yield [{ line: 1, violations: [fault], isNoRecord: true }];
    else if (text.startsWith('{')) {
      const { readNdjson } = await import('./ndjson.ts');
      yield* readNdjson(all, columns, options);
    } else {
      const { readCsv } = await import('./csv.ts');
      yield* readCsv(all, firstLineOf(text), columns, options);
    }
  } finally {
    // Closes a pipe that is not read to its end: its writer would keep this process alive.
    await iterator.return?.();
  }
}

function faultOf(head: Uint8Array, text: string): Violation | undefined {
  if (text === '') return violation('grades.empty', '');
  if (text.startsWith('PK\u0003\u0004')) {
    return violation('grades.encoding', '', { found: 'an Excel workbook or another zip' });
  }
  // Spreadsheets save "Unicode text" as UTF-16, whose byte order mark and zero bytes UTF-8 lacks. A
  // comment may have a zero, which a report writes as it is, but no header has one.
  const end = head.findIndex(isLineBreak);
  if (
    head[0] === 0xff ||
    head[0] === 0xfe ||
    head.subarray(0, end < 0 ? undefined : end).includes(0)
  ) {
    return violation('grades.encoding', '', { found: 'UTF-16' });
  }
  if (text.startsWith('[')) return violation('grades.not_object', '', { found: 'an array' });
  return undefined;
}

/**
 * `head`: the start of the text after empty lines, at least its first line unless that is very long.
 * `all`: everything from the start.
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
