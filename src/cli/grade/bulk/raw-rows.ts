import { type Violation, violation } from '../../../contract/index.ts';
import type { ColumnNames } from './columns.ts';
import type { RawRow } from './raw-row.ts';

/** A header that is longer than this is none. */
const HEAD_BYTES = 1 << 16;

/** Reads the rows of CSV (`,` `;` or tab) or of one JSON object a line, told apart by how they begin. */
export async function* readRawRows(
  chunks: AsyncIterable<Uint8Array>,
  names: ColumnNames,
): AsyncGenerator<RawRow[]> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    const { head, all } = await peek(iterator);
    const text = new TextDecoder().decode(head).trimStart();
    const fault = faultOf(head, text);
    if (fault) yield [{ line: 1, violations: [fault] }];
    else if (text.startsWith('{')) yield* (await import('./ndjson.ts')).readNdjson(all, names);
    else {
      const { readCsv } = await import('./csv.ts');
      yield* readCsv(all, text.split(/[\r\n]/, 1)[0] as string, names);
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

/** The first line at least, and everything from the start. */
async function peek(
  iterator: AsyncIterator<Uint8Array>,
): Promise<{ head: Uint8Array; all: AsyncIterable<Uint8Array> }> {
  const seen: Uint8Array[] = [];
  let size = 0;
  while (size < HEAD_BYTES) {
    const { value, done } = await iterator.next();
    if (done) break;
    seen.push(value);
    size += value.length;
    if (/\S[^\r\n]*[\r\n]/.test(Buffer.from(value).toString('latin1'))) break;
  }
  return { head: Buffer.concat(seen), all: resumed(seen, iterator) };
}

async function* resumed(
  seen: readonly Uint8Array[],
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* seen;
  yield* { [Symbol.asyncIterator]: () => iterator };
}
