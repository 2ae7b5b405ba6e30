import { type Violation, truncate, violation } from '../contract/index.ts';
import { NUMBER_COLUMNS } from '../validator/grades.ts';
import { Columns, type RecordColumn, readHeader } from './columns.ts';
import { type CsvFault, CsvReader, type CsvRecord } from './csv-records.ts';
import { NOT_UTF8, textOf } from './file-text.ts';
import {
  type ParsedRecord,
  losesDigits,
  lossyNumber,
  readDecimal,
  tooLongRecord,
  tooManyCells,
} from './parsed-record.ts';
import {
  type RecordOptions,
  areSendable,
  MAX_TRIED,
  suggestColumns,
  withFlags,
} from './suggest-columns.ts';

const DELIMITERS = [',', ';', '\t', '|'];
/** The first line that Excel writes and reads. */
const SEPARATOR_LINE = /^\ufeff?"?sep=(.)"?$/i;

/**
 * Reads CSV in batches, as its chunks arrive. `firstLine` decides the delimiter. An invalid header,
 * invalid quotes or a record over the limits ends the file.
 */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
  firstLine: string,
  columns: Columns,
  options: RecordOptions,
): AsyncGenerator<ParsedRecord[]> {
  const csv = new CsvReader(delimiterOf(firstLine));
  const records = new RecordReader(columns, options);
  for await (const text of textOf(chunks)) {
    yield records.read(csv.read(text));
    if (records.failed || csv.fault) break;
  }
  if (records.failed) return;
  if (!csv.fault) yield records.read(csv.end());
  if (csv.fault && !records.failed) yield [recordOfFault(csv.fault)];
}

/** The delimiter that occurs most often outside quotes. */
function delimiterOf(firstLine: string): string {
  const named = SEPARATOR_LINE.exec(firstLine)?.[1];
  if (named !== undefined) return named;
  const plain = firstLine.replace(/"[^"]*"/g, '');
  const [best = ','] = DELIMITERS.toSorted((a, b) => occurrences(plain, b) - occurrences(plain, a));
  return best;
}

function occurrences(text: string, character: string): number {
  return text.split(character).length;
}

function recordOfFault({ line, kind }: CsvFault): ParsedRecord {
  if (kind === 'too many cells') return tooManyCells(line, 'cells');
  if (kind === 'too many characters') return tooLongRecord(line);
  const reason = 'a quote is opened and never closed';
  return { line, violations: [violation('grades.syntax', '', { reason })] };
}

/** Parses the records of CSV, of which the first one is the header. */
class RecordReader {
  readonly #known: Columns;
  readonly #options: RecordOptions;
  #columns: readonly RecordColumn[] | undefined;
  /** The header cannot be used, so nothing after it can. */
  failed = false;

  constructor(columns: Columns, options: RecordOptions) {
    this.#known = columns;
    this.#options = options;
  }

  read(records: readonly CsvRecord[]): ParsedRecord[] {
    const rows: ParsedRecord[] = [];
    for (const [index, record] of records.entries()) {
      const { line, cells } = record;
      if (this.#columns) rows.push(toRecord(record, this.#columns, this.#options));
      else if (line === 1 && /^sep=/i.test(cells[0] ?? '')) continue;
      else if (!this.#readHeader(line, cells, rows, records.slice(index + 1))) break;
    }
    return rows;
  }

  #readHeader(
    line: number,
    cells: readonly string[],
    rows: ParsedRecord[],
    records: readonly CsvRecord[],
  ): boolean {
    const { columns, violations } = readHeader(cells, this.#known);
    if (violations.length > 0) {
      const accepts = (options: RecordOptions): boolean => {
        const header = readHeader(cells, new Columns(options));
        if (header.columns === undefined || header.violations.length > 0) return false;
        const read = header.columns;
        const tried = records.slice(0, MAX_TRIED).map((each) => toRecord(each, read, options));
        return areSendable(tried, options.maxScore);
      };
      const flags = suggestColumns(cells, this.#options, accepts);
      const hinted = violations.map((each) => withFlags(each, flags));
      rows.push({ line, violations: hinted, isNoRecord: true });
    }
    this.#columns = columns;
    this.failed = columns === undefined;
    return !this.failed;
  }
}

function toRecord(
  { line, cells, misquoted }: CsvRecord,
  columns: readonly RecordColumn[],
  { asWritten }: RecordOptions,
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
    if (misquoted?.includes(index)) {
      violations.push(violation('grades.syntax', `/${column}`, { cell: truncate(cell) }));
      continue;
    }
    if (cell.includes(NOT_UTF8)) violations.push(violation('grades.encoding', `/${column}`));
    const value = valueOf(column, cell, asWritten);
    if (value !== '') fields[column] = value;
    if (typeof value === 'number' && losesDigits(cell.trim())) {
      violations.push(lossyNumber(column, cell.trim(), value));
    }
  }
  return violations.length > 0 ? { line, violations, member: fields.member } : { line, fields };
}

/** A number in a number column, if it is one; a comment unchanged; otherwise the trimmed text. */
function valueOf(column: RecordColumn, cell: string, asWritten = false): string | number {
  if (column === 'comment') return unescapeFormula(cell);
  const text = cell.trim();
  if (!isNumberColumn(column)) return unescapeFormula(text);
  return asWritten ? text : (readDecimal(text) ?? text);
}

function isNumberColumn(column: RecordColumn): boolean {
  return (NUMBER_COLUMNS as readonly (string | undefined)[]).includes(column);
}

/** What a spreadsheet would run as a formula (OWASP, "CSV injection"), also behind apostrophes. */
const FORMULA = /^'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;

/** Puts an apostrophe before a text that a spreadsheet would run, or that looks escaped already. */
export function escapeFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** The inverse of `escapeFormula`: removes that one apostrophe. */
export function unescapeFormula(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;
}
