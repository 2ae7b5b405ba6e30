import { type Violation, violation } from '../contract/index.ts';
import { NUMBER_COLUMNS } from '../validator/grades.ts';
import { unguarded } from './formula.ts';
import { losesDigits, readDecimal } from './decimal.ts';
import { type Column, type ColumnNames, readHeader } from './columns.ts';
import { type CsvFault, CsvReader, type CsvRecord } from './csv-records.ts';
import { lossy, type ParsedRecord, tooLong, tooMany } from './parsed-record.ts';

const DELIMITERS = [',', ';', '\t'];

/**
 * Reads CSV in batches, as its chunks come. `firstLine` tells the delimiter. Where the header or the
 * quotes are wrong, or a record is beyond all bounds, that is the last row.
 */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
  firstLine: string,
  names: ColumnNames,
): AsyncGenerator<ParsedRecord[]> {
  const decoder = new TextDecoder();
  const reader = new CsvReader(delimiterOf(firstLine));
  const rows = new RowReader(names);
  for await (const chunk of chunks) {
    yield rows.read(reader.read(decoder.decode(chunk, { stream: true })));
    if (rows.failed || reader.fault) break;
  }
  if (rows.failed) return;
  if (!reader.fault) yield rows.read([...reader.read(decoder.decode()), ...reader.end()]);
  if (reader.fault && !rows.failed) yield [rowOfFault(reader.fault)];
}

/** The delimiter that occurs most, outside quotes. */
function delimiterOf(firstLine: string): string {
  const plain = firstLine.replace(/"[^"]*"/g, '');
  const [best = ','] = DELIMITERS.toSorted((a, b) => countOf(plain, b) - countOf(plain, a));
  return best;
}

function countOf(text: string, character: string): number {
  return text.split(character).length;
}

function rowOfFault({ line, is }: CsvFault): ParsedRecord {
  if (is === 'too many cells') return tooMany(line, 'cells');
  if (is === 'too many characters') return tooLong(line);
  const reason = 'a quote is opened and never closed';
  return { line, violations: [violation('grades.syntax', '', { reason })] };
}

/** Turns records into rows, the first one being the header. */
class RowReader {
  readonly #names: ColumnNames;
  #columns: readonly Column[] | undefined;
  /** The header cannot be used, so nothing after it can. */
  failed = false;

  constructor(names: ColumnNames) {
    this.#names = names;
  }

  read(records: readonly CsvRecord[]): ParsedRecord[] {
    const rows: ParsedRecord[] = [];
    for (const { line, cells } of records) {
      if (this.#columns) rows.push(rowOf(line, cells, this.#columns));
      else if (!this.#readHeader(line, cells, rows)) break;
    }
    return rows;
  }

  #readHeader(line: number, cells: readonly string[], rows: ParsedRecord[]): boolean {
    const header = readHeader(cells, this.#names);
    this.failed = 'violations' in header;
    if ('violations' in header) rows.push({ line, violations: header.violations });
    else this.#columns = header.columns;
    return !this.failed;
  }
}

function rowOf(line: number, cells: readonly string[], columns: readonly Column[]): ParsedRecord {
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
