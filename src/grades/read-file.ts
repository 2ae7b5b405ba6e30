import { type Violation, violation } from '../contract/index.ts';
import type { Columns } from './columns.ts';
import { encodingOf, startOfText, textOf } from './file-text.ts';
import type { ParsedRecord } from './parsed-record.ts';
import type { RecordOptions } from './columns.ts';

/** How much of the start is examined. */
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
    const { bytes, textAt, isWhole, all } = await peek(iterator);
    const encoding = encodingOf(bytes);
    const text = new TextDecoder(encoding).decode(bytes);
    const fault = faultOf(bytes.subarray(textAt), text.trimStart());
    if (fault) yield [{ line: 1, violations: [fault], isNoRecord: true }];
    else if (text.trimStart().startsWith('{')) {
      const { readNdjson } = await import('./ndjson.ts');
      yield* readNdjson(textOf(all, encoding), columns, options);
    } else {
      const { readCsv } = await import('./csv.ts');
      yield* readCsv(textOf(all, encoding), { text, isWhole }, columns, options);
    }
  } finally {
    // Closes a pipe that is not read to its end: its writer would keep this process alive.
    await iterator.return?.();
  }
}

/** Files that are no text of records, by their beginning. */
const OTHER_FILES: readonly { readonly starts: string | RegExp; readonly found: string }[] = [
  { starts: 'PK\u0003\u0004', found: 'an Excel workbook or another zip' },
  { starts: '\xd0\xcf\x11\xe0', found: 'an old Excel workbook (.xls)' },
  { starts: /^<\?xml/i, found: 'an XML spreadsheet saved as .xls' },
  {
    starts: /^<(?:!doctype|!--|html|head|meta|style|body|div|table)/i,
    found: 'an HTML table saved as .xls',
  },
];

function faultOf(head: Uint8Array, text: string): Violation | undefined {
  if (text === '') return violation('grades.empty', '');
  const start = Buffer.from(head.subarray(0, 16)).toString('latin1');
  const other = OTHER_FILES.find(({ starts }) =>
    typeof starts === 'string' ? start.startsWith(starts) : starts.test(text),
  );
  if (other) return violation('grades.encoding', '', { found: other.found });
  if (text.startsWith('[')) return violation('grades.not_object', '', { found: 'an array' });
  return undefined;
}

interface Peeked {
  /** The start of the file. */
  readonly bytes: Uint8Array;
  /** Where the text begins in it, after empty lines. */
  readonly textAt: number;
  /** The file has no more bytes. */
  readonly isWhole: boolean;
  /** Everything from the start. */
  readonly all: AsyncIterable<Uint8Array>;
}

async function peek(iterator: AsyncIterator<Uint8Array>): Promise<Peeked> {
  const seen: Uint8Array[] = [];
  let emptyBytes = 0;
  let headBytes = 0;
  let isWhole = false;
  while (headBytes < HEAD_BYTES && emptyBytes < MAX_EMPTY_BYTES) {
    const { value, done } = await iterator.next();
    isWhole = done === true;
    if (done) break;
    seen.push(value);
    const start = headBytes > 0 ? 0 : startOfText(value);
    emptyBytes += start;
    headBytes += value.length - start;
  }
  const bytes = Buffer.concat(seen);
  return { bytes, textAt: emptyBytes, isWhole, all: resumed(seen, iterator) };
}

async function* resumed(
  seen: readonly Uint8Array[],
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* seen;
  yield* { [Symbol.asyncIterator]: () => iterator };
}
