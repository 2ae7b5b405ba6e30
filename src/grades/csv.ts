import { type Violation, violation } from '../contract/index.ts';
import { NUMBER_COLUMNS } from '../validator/grades.ts';
import { unescapeFormula } from './formula.ts';
import { losesDigits, readDecimal } from './decimal.ts';
import { type Column, type ColumnNames, readHeader } from './columns.ts';
import { type CsvFault, CsvReader, type CsvRecord } from './csv-records.ts';
import { lossyNumber, type ParsedRecord, tooLongRecord, tooManyCells } from './parsed-record.ts';

const DELIMITERS = [',', ';', '\t'];

/**
 * Reads CSV in batches, as its chunks arrive. `firstLine` decides the delimiter. An invalid header,
 * invalid quotes or a record over the limits ends the file.
 */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
  firstLine: string,
  names: ColumnNames,
): AsyncGenerator<ParsedRecord[]> {
  const decoder = new TextDecoder();
  const reader = new CsvReader(delimiterOf(firstLine));
  const parser = new RecordReader(names);
  for await (const chunk of chunks) {
    yield parser.read(reader.read(decoder.decode(chunk, { stream: true })));
    if (parser.failed || reader.fault) break;
  }
  if (parser.failed) return;
  if (!reader.fault) yield parser.read([...reader.read(decoder.decode()), ...reader.end()]);
  if (reader.fault && !parser.failed) yield [recordOfFault(reader.fault)];
}

/** The delimiter that occurs most often outside quotes. */
function delimiterOf(firstLine: string): string {
  const plain = firstLine.replace(/"[^"]*"/g, '');
  const [best = ','] = DELIMITERS.toSorted((a, b) => occurrences(plain, b) - occurrences(plain, a));
  return best;
}

function occurrences(text: string, character: string): number {
  return text.split(character).length;
}

function recordOfFault({ line, kind: is }: CsvFault): ParsedRecord {
  if (is === 'too many cells') return tooManyCells(line, 'cells');
  if (is === 'too many characters') return tooLongRecord(line);
  const reason = 'a quote is opened and never closed';
  return { line, violations: [violation('grades.syntax', '', { reason })] };
}

/** Parses the records of CSV, of which the first one is the header. */
class RecordReader {
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
      if (this.#columns) rows.push(toRecord(line, cells, this.#columns));
      else if (!this.#readHeader(line, cells, rows)) break;
    }
    return rows;
  }

  #readHeader(line: number, cells: readonly string[], rows: ParsedRecord[]): boolean {
    const { columns, violations } = readHeader(cells, this.#names);
    if (violations.length > 0) rows.push({ line, violations, isNoRecord: true });
    this.#columns = columns;
    this.failed = columns === undefined;
    return !this.failed;
  }
}

function toRecord(
  line: number,
  cells: readonly string[],
  columns: readonly Column[],
): ParsedRecord {
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
      violations.push(lossyNumber(column, cell.trim(), value));
    }
  }
  return violations.length > 0 ? { line, violations, member: fields.member } : { line, fields };
}

/** A number in a number column, if it is one; a comment unchanged; otherwise the trimmed text. */
function valueOf(column: Column, cell: string): string | number {
  if (column === 'comment') return unescapeFormula(cell);
  const text = cell.trim();
  if (!isNumberColumn(column)) return unescapeFormula(text);
  return readDecimal(text) ?? text;
}

function isNumberColumn(column: Column): boolean {
  return (NUMBER_COLUMNS as readonly (string | undefined)[]).includes(column);
}
