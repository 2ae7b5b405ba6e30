import { Columns, readHeader, type RecordOptions } from './columns.ts';
import { CsvReader, type CsvRecord } from './csv-records.ts';
import { type ScoreSearch, suggestReading, type TryReading } from './suggest-columns.ts';

const DELIMITERS = [',', ';', '\t', '|'];
/** The first line that Excel writes and reads. */
const SEPARATOR_LINE = /^\ufeff?"?sep=(.)"?$/i;
/** Among how many records the names of the columns are looked for. */
const HEADER_RECORDS = 10;

/** The start of a file. */
export interface FileStart {
  readonly text: string;
  /** There is no more. */
  readonly isWhole: boolean;
}

export interface Header {
  readonly delimiter: string;
  /** The line with the names of the columns. */
  readonly line: number;
  /** How the file can be read, if it cannot be read as it is. */
  readonly hint: string | undefined;
}

/**
 * Finds the line with the names of the columns, and with it the delimiter: the first line that the
 * options can read, or else that other options can; otherwise it is the first one.
 *
 * @param tryWith reads the records after such a line
 */
export function findHeader(
  start: FileStart,
  options: RecordOptions,
  tryWith: (records: readonly CsvRecord[], delimiter: string) => TryReading,
): Header {
  const splits = delimitersOf(start.text).map((delimiter) => ({
    delimiter,
    records: splitRecords(start, delimiter).records,
  }));
  for (const { delimiter, records } of splits) {
    const at = candidatesOf(records).find(({ cells }) => isReadable(cells, options));
    if (at) return { delimiter, line: at.line, hint: hintFor(at, records, delimiter, 'names') };
  }
  for (const by of ['names', 'numbers'] as const) {
    for (const { delimiter, records } of splits) {
      for (const at of candidatesOf(records)) {
        const hint = hintFor(at, records, delimiter, by);
        if (hint !== undefined) return { delimiter, line: at.line, hint };
      }
    }
  }
  const [first] = splits as [(typeof splits)[0]];
  return { delimiter: first.delimiter, line: first.records[0]?.line ?? 1, hint: undefined };

  function hintFor(
    at: CsvRecord,
    records: readonly CsvRecord[],
    delimiter: string,
    by: ScoreSearch,
  ) {
    const { violations } = readHeader(at.cells, new Columns(options));
    if (violations.length === 0) return undefined;
    const after = records.slice(records.indexOf(at));
    return suggestReading(at.cells, options, tryWith(after, delimiter), by);
  }
}

function isReadable(cells: readonly string[], options: RecordOptions): boolean {
  return readHeader(cells, new Columns(options)).columns !== undefined;
}

function candidatesOf(records: readonly CsvRecord[]): readonly CsvRecord[] {
  return records.slice(0, HEADER_RECORDS);
}

/** The delimiters, the one that the first line has most often outside quotes first. */
export function delimitersOf(text: string): string[] {
  const [firstLine] = text.trimStart().split(/[\r\n]/, 1) as [string];
  const named = SEPARATOR_LINE.exec(firstLine)?.[1];
  if (named !== undefined) return [named];
  const plain = firstLine.replace(/"[^"]*"/g, '');
  return DELIMITERS.toSorted((a, b) => occurrences(plain, b) - occurrences(plain, a));
}

function occurrences(text: string, character: string): number {
  return text.split(character).length;
}

/** The records of a text, and why it cannot be read further. */
export function splitRecords({ text, isWhole }: FileStart, delimiter: string) {
  const csv = new CsvReader(delimiter);
  const read = csv.read(text.replace(/^\ufeff/, ''));
  const all = isWhole ? [...read, ...csv.end()] : read;
  return { records: all.filter((record) => !isSeparatorLine(record)), fault: csv.fault };
}

export function isSeparatorLine({ line, cells }: CsvRecord): boolean {
  return line === 1 && /^sep=/i.test(cells[0] as string);
}
