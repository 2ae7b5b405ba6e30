import { type Violation, truncate, violation } from '../contract/index.ts';
import { type GradeColumn, NUMBER_COLUMNS } from '../validator/grades.ts';
import { Columns, type RecordColumn, type RecordOptions, readHeader } from './columns.ts';
import { type CsvFault, CsvReader, type CsvRecord } from './csv-records.ts';
import { exportOf, isMaximumRow, maximumInName, noRecord } from './exports.ts';
import { NOT_UTF8 } from './file-text.ts';
import { type FileStart, findHeader, type Header, isSeparatorLine } from './header.ts';
import {
  type InvalidRecord,
  type ParsedRecord,
  losesDigits,
  lossyNumber,
  readDecimal,
  tooLongRecord,
  tooManyCells,
} from './parsed-record.ts';
import {
  MAX_TRIED,
  type Trial,
  tryRecords,
  type TryReading,
  withReading,
} from './suggest-columns.ts';

/**
 * Reads CSV in batches, as its text arrives. `start` decides the delimiter and the line with the names
 * of the columns. An invalid header, invalid quotes or a record over the limits ends the file.
 */
export async function* readCsv(
  texts: AsyncIterable<string>,
  start: FileStart,
  columns: Columns,
  options: RecordOptions,
): AsyncGenerator<ParsedRecord[]> {
  const header = findHeader(start, options, tryWith);
  const csv = new CsvReader(header.delimiter);
  const records = new RecordReader(header, columns, options);
  for await (const text of texts) {
    yield records.read(csv.read(text));
    if (records.failed || csv.fault) break;
  }
  if (records.failed) return;
  yield records.read(csv.end());
  if (csv.fault && !records.failed) yield [recordOfFault(csv.fault)];
}

function tryWith(records: readonly CsvRecord[], delimiter: string): TryReading {
  const sample = records.slice(0, MAX_TRIED + 1);
  const [{ line, cells: names } = { line: 1, cells: [] }] = sample;
  const valuesOf = (name: string): string[] => {
    const at = names.findIndex((each) => each.trim().toLowerCase() === name.toLowerCase());
    return sample.slice(1).flatMap(({ cells }) => cells[at]?.trim() || []);
  };
  const read = (options: RecordOptions, split: string): Trial | undefined => {
    const columns = new Columns(options);
    const reader = new RecordReader({ delimiter: split, line, hint: undefined }, columns, options);
    const trial = tryRecords(reader.read(sample), options);
    return trial && { ...trial, maximum: columns.notes.maximumOfFile, valuesOf };
  };
  return (options) => {
    const trial = read(options, delimiter);
    if (trial !== undefined) return trial;
    // A decimal comma has a finding of its own; beside another delimiter, 1,000 may be a thousand.
    const withCommas = read(options, ';');
    return withCommas && { ...withCommas, maximum: undefined };
  };
}

export function recordOfFault({ line, kind }: CsvFault): InvalidRecord {
  if (kind === 'too many cells') return tooManyCells(line, 'cells');
  if (kind === 'too many characters') return tooLongRecord(line);
  const reason = 'a quote is opened and never closed';
  return { line, violations: [violation('grades.syntax', '', { reason })] };
}

/** Parses the records of CSV from the line with the names of the columns on. */
class RecordReader {
  readonly #header: Header;
  readonly #known: Columns;
  readonly #options: RecordOptions;
  #layout: Layout | undefined;
  #hasRecords = false;
  /** The header cannot be used, so nothing after it can. */
  failed = false;

  constructor(header: Header, columns: Columns, options: RecordOptions) {
    this.#header = header;
    this.#known = columns;
    this.#options = options;
  }

  read(records: readonly CsvRecord[]): ParsedRecord[] {
    const rows: ParsedRecord[] = [];
    for (const record of records) {
      if (this.#layout) {
        const read = this.#readRecord(record, this.#layout);
        if (read) rows.push(read);
      } else if (record.line >= this.#header.line) {
        if (!this.#readHeader(record, rows)) break;
      } else if (!isSeparatorLine(record)) {
        rows.push({ line: record.line, leftOut: 'above the header' });
      }
    }
    return rows;
  }

  #readHeader({ line, cells }: CsvRecord, rows: ParsedRecord[]): boolean {
    const { columns, violations } = readHeader(cells, this.#known);
    if (violations.length > 0) {
      const hinted = violations.map((each) => withReading(each, this.#header.hint));
      rows.push({ line, violations: hinted, isNoRecord: true });
    }
    this.failed = columns === undefined;
    if (columns === undefined) return false;
    const { notes } = this.#known;
    notes.export = exportOf(cells)?.name;
    this.#layout = layoutOf(cells, columns, this.#known, this.#header.delimiter);
    this.#known.others = this.#layout.others.map((at) => (cells[at] as string).trim());
    const pointsName = this.#known.used.get('points');
    const points = pointsName === undefined ? undefined : maximumInName(pointsName);
    if (points !== undefined) this.#useMaximum(points, `the column ${JSON.stringify(pointsName)}`);
    return true;
  }

  /** Uses a maximum of the file for all points, unless they have their own; a flag goes before it. */
  #useMaximum(points: number, from: string): void {
    if (this.#layout?.points === -1 || this.#layout?.columns.includes('max_score')) return;
    this.#known.notes.maximumOfFile = points;
    const { maxScore = points } = this.#options;
    const source = maxScore === points ? from : `--max-score; ${from} has ${points}`;
    this.#known.notes.maximum = { points: maxScore, from: source };
  }

  /** undefined for a record that the flags do not select. */
  #readRecord(record: CsvRecord, layout: Layout): ParsedRecord | undefined {
    const { line, cells } = record;
    const label = noRecord(cells, cells[layout.member]?.trim() ?? '');
    if (label !== undefined) {
      // Further down, it would not be the maximum of the records above it.
      if (!this.#hasRecords) this.#readMaximum(label, cells, layout);
      return { line, leftOut: label };
    }
    this.#hasRecords = true;
    const isWanted = layout.where.every(({ at, value }) => cells[at]?.trim() === value);
    if (isWanted) return toRecord(record, layout, this.#known.notes.maximum?.points, this.#options);
    this.#known.notes.notSelected += 1;
    return undefined;
  }

  #readMaximum(label: string, cells: readonly string[], layout: Layout): void {
    if (!isMaximumRow(label)) return;
    const points = Number(decimalText((cells[layout.points] ?? '').trim(), layout));
    if (points > 0) this.#useMaximum(points, `the row ${JSON.stringify(label)}`);
  }
}

/** Where the columns of a file are, and how its cells are read. */
interface Layout {
  readonly names: readonly string[];
  readonly columns: readonly RecordColumn[];
  readonly member: number;
  /** -1 if there are none. */
  readonly points: number;
  readonly where: readonly { readonly at: number; readonly value: string }[];
  /** The columns that are not read. */
  readonly others: readonly number[];
  readonly delimiter: string;
  /** A score with a percent sign is a percentage. */
  readonly hasPercent: boolean;
}

function layoutOf(
  cells: readonly string[],
  columns: readonly RecordColumn[],
  known: Columns,
  delimiter: string,
): Layout {
  return {
    names: cells,
    columns,
    member: columns.indexOf('member'),
    points: columns.indexOf('points'),
    where: cells.flatMap((name, at) => {
      const value = known.wanted(name);
      return value === undefined ? [] : [{ at, value }];
    }),
    others: columns.flatMap((column, at) => (column === undefined ? [at] : [])),
    delimiter,
    hasPercent: known.isMapped('score'),
  };
}

function toRecord(
  { line, cells, misquoted }: CsvRecord,
  layout: Layout,
  maximum: number | undefined,
  { asWritten = false }: RecordOptions,
): ParsedRecord {
  const { columns, others } = layout;
  if (cells.length !== columns.length) {
    const missing = layout.names.slice(cells.length).join(', ');
    const params = { count: cells.length, columns: columns.length, missing: truncate(missing) };
    const violations = [violation('grades.cells', '', params)];
    return { line, violations, member: cells[layout.member]?.trim() };
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
    if (!isNumberColumn(column)) {
      const text = column === 'comment' ? unescapeFormula(cell) : unescapeFormula(cell.trim());
      if (text !== '') fields[column] = text;
      continue;
    }
    const text = decimalText(cell.trim(), layout, column);
    const value = asWritten ? text : (readDecimal(text) ?? text);
    if (value !== '') fields[column] = value;
    if (column === 'score' && PERCENT.test(text)) {
      const params = {
        field: column,
        text: truncate(text),
        column: truncate(layout.names[index] as string).trim(),
      };
      violations.push(violation('grades.not_number', '/score', params));
    }
    if (typeof value === 'number' && losesDigits(text)) {
      violations.push(lossyNumber(column, text, value));
    }
  }
  if (maximum !== undefined && fields.points !== undefined) fields.max_score ??= maximum;
  if (violations.length > 0) return { line, violations, member: fields.member };
  if (others.length === 0) return { line, fields };
  return { line, fields, others: others.map((index) => cells[index] as string) };
}

const COMMA = /^([+-]?\d*),(\d+(?:\s*%)?)$/;
const PERCENT = /^([+-]?\d+(?:\.\d*)?)\s*%$/;
/** Programs separate by semicolons where the decimal comma is usual, but by tabs everywhere. */
const THOUSANDS = /^[+-]?[1-9]\d{0,2},\d{3}\b/;

/** A number of the file with a decimal point and without a percent sign; other text as it is. */
function decimalText(
  text: string,
  { delimiter, hasPercent }: Pick<Layout, 'delimiter' | 'hasPercent'>,
  column: GradeColumn = 'points',
): string {
  const hasComma = delimiter === ';' || (delimiter !== ',' && !THOUSANDS.test(text));
  const point = hasComma ? text.replace(COMMA, '$1.$2') : text;
  return hasPercent && column === 'score' ? point.replace(PERCENT, '$1e-2') : point;
}

function isNumberColumn(column: GradeColumn): boolean {
  return (NUMBER_COLUMNS as readonly string[]).includes(column);
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
