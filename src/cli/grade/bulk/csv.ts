import { CsvError, parse, type Parser } from 'csv-parse';
import { type Violation, violation } from '../../../contract/index.ts';
import { NUMBER_COLUMNS } from '../../../validator/grades.ts';
import { unguarded } from '../../output/formula.ts';
import { losesDigits, readDecimal } from '../decimal.ts';
import { type Column, type ColumnNames, readHeader } from './columns.ts';
import { lossy, type RawRow, ROW_MAX_BYTES } from './raw-row.ts';

const DELIMITERS = [',', ';', '\t'];

/**
 * Reads CSV in batches, as its chunks come. `firstLine` tells the delimiter. Where the header or the
 * quotes are wrong, that is the last row.
 */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
  firstLine: string,
  names: ColumnNames,
): AsyncGenerator<RawRow[]> {
  const reader = new RowReader(names);
  try {
    for await (const records of readRecords(chunks, delimiterOf(firstLine))) {
      yield reader.read(records);
      if (reader.failed) return;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    yield [reader.broken(error)];
  }
}

/** The delimiter that occurs most, outside quotes. */
function delimiterOf(firstLine: string): string {
  const plain = firstLine.replace(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((delimiter) => plain.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] as string;
}

async function* readRecords(
  chunks: AsyncIterable<Uint8Array>,
  delimiter: string,
): AsyncGenerator<string[][]> {
  let records: string[][] = [];
  const parser = parse({
    bom: true,
    delimiter,
    // All three, since one file may have several: it was edited here and there.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: ROW_MAX_BYTES,
  });
  parser.on('data', (record: string[]) => records.push(record));
  // It reaches the caller by the callback of the write that meets it.
  parser.on('error', () => {});
  const taken = (): string[][] => {
    const batch = records;
    records = [];
    return batch;
  };
  for await (const chunk of chunks) {
    await written(parser, chunk);
    yield taken();
  }
  await ended(parser);
  yield taken();
}

function written(parser: Parser, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    parser.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}

function ended(parser: Parser): Promise<void> {
  return new Promise((resolve, reject) => {
    parser.on('error', reject);
    parser.on('end', resolve);
    parser.end();
  });
}

/** Turns records into rows, the first one being the header. */
class RowReader {
  readonly #names: ColumnNames;
  #columns: readonly Column[] | undefined;
  #nextLine = 1;
  /** The header cannot be used, so nothing after it can. */
  failed = false;

  constructor(names: ColumnNames) {
    this.#names = names;
  }

  read(records: readonly string[][]): RawRow[] {
    const rows: RawRow[] = [];
    for (const cells of records) {
      const line = this.#nextLine;
      this.#nextLine += 1 + lineBreaks(cells);
      if (cells.length === 1 && cells[0] === '') continue;
      if (this.#columns) rows.push(rowOf(line, cells, this.#columns));
      else if (!this.#readHeader(line, cells, rows)) break;
    }
    return rows;
  }

  #readHeader(line: number, cells: readonly string[], rows: RawRow[]): boolean {
    const header = readHeader(cells, this.#names);
    this.failed = 'violations' in header;
    if ('violations' in header) rows.push({ line, violations: header.violations });
    else this.#columns = header.columns;
    return !this.failed;
  }

  broken(error: CsvError): RawRow {
    const isTooLong = error.code === 'CSV_MAX_RECORD_SIZE';
    const reason = isTooLong
      ? 'the row is too long; is a quote opened and never closed?'
      : 'a quote is opened and never closed';
    return { line: this.#nextLine, violations: [violation('grades.syntax', '', { reason })] };
  }
}

function lineBreaks(cells: readonly string[]): number {
  let count = 0;
  for (const cell of cells) {
    if (cell.includes('\n') || cell.includes('\r')) count += cell.split(/\r\n|\n|\r/).length - 1;
  }
  return count;
}

function rowOf(line: number, cells: readonly string[], columns: readonly Column[]): RawRow {
  if (cells.length !== columns.length) {
    const params = { count: cells.length, columns: columns.length };
    return { line, violations: [violation('grades.cells', '', params)] };
  }
  const fields: Partial<Record<string, string | number>> = {};
  const violations: Violation[] = [];
  for (let index = 0; index < cells.length; index += 1) {
    const column = columns[index];
    const cell = cells[index] as string;
    if (column === undefined || cell === '') continue;
    if (cell.includes('\ufffd')) violations.push(violation('grades.encoding', `/${column}`));
    const value = valueOf(column, cell);
    if (value !== '') fields[column] = value;
    if (typeof value === 'number' && losesDigits(cell.trim())) {
      violations.push(lossy(column, cell.trim(), value));
    }
  }
  return violations.length > 0 ? { line, violations, member: fields.member } : { line, fields };
}

/** A number where one is meant and can be read; a comment as it is; else the text without its margins. */
function valueOf(column: Column, cell: string): string | number {
  if (column === 'comment') return unguarded(cell);
  const text = cell.trim();
  if (!isNumberColumn(column)) return unguarded(text);
  return readDecimal(text) ?? text;
}

function isNumberColumn(column: Column): boolean {
  return (NUMBER_COLUMNS as readonly (string | undefined)[]).includes(column);
}
