import { LINE_FEED } from '../json/characters.ts';
import { MAX_CELLS, MAX_RECORD_CHARACTERS } from './parsed-record.ts';

/** One record of CSV: the text of its cells, and the line on which it begins, from 1. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
  /** The indexes of cells that continue after their closing quote, if there are any. */
  readonly misquoted?: readonly number[];
}

/** Why the text cannot be read further, and the line on which that record begins. */
export interface CsvFault {
  readonly line: number;
  readonly kind: 'open quote' | 'too many cells' | 'too many characters';
}

const QUOTE = 0x22;
const CARRIAGE_RETURN = 0x0d;

/**
 * Splits CSV into records (RFC 4180) as its pieces arrive, in one pass. Any of `\r\n`, `\n` and `\r`
 * ends a record, since a file may mix them; empty lines are skipped. As in csv-parse with
 * `relax_quotes`, a quote inside an unquoted cell is an ordinary character, and so are both quotes of
 * a cell that continues after the second, which is marked. Only one record is held in memory, up to the limits: see
 * docs/decisions/0010-csv.md.
 */
export class CsvReader {
  /** Set when the text cannot be read further. */
  fault: CsvFault | undefined;
  readonly #delimiter: number;
  #records: CsvRecord[] = [];
  /** The current record: its first line, its complete cells, its size so far. */
  #line = 1;
  #cells: string[] = [];
  #misquoted: number[] = [];
  #characters = 0;
  #lineBreaks = 0;
  /** The current cell: its text so far, and what the next character may be. */
  #cell = '';
  #state: 'start' | 'plain' | 'quoted' | 'after quote' = 'start';
  #isQuoted = false;
  /** If the next character is a line feed, it belongs to the line break before it. */
  #isAfterReturn = false;

  /** @param delimiter one character */
  constructor(delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0);
  }

  /** The records that end in this piece of the text. */
  read(text: string): CsvRecord[] {
    let at = this.#isAfterReturn && text.charCodeAt(0) === LINE_FEED ? 1 : 0;
    if (text.length > 0) this.#isAfterReturn = false;
    while (at < text.length && !this.fault) {
      if (this.#state === 'quoted') at = this.#readQuoted(text, at);
      else if (this.#state === 'after quote') at = this.#readAfterQuote(text, at);
      else at = this.#readPlain(text, at);
    }
    return this.#takeRecords();
  }

  /** The record that ends with the text, if there is one. */
  end(): CsvRecord[] {
    if (this.#state === 'quoted') this.#fail('open quote');
    else if (!this.fault) this.#endRecord();
    return this.#takeRecords();
  }

  #takeRecords(): CsvRecord[] {
    const records = this.#records;
    this.#records = [];
    return records;
  }

  #fail(is: CsvFault['kind']): void {
    this.fault ??= { line: this.#line, kind: is };
  }

  /** From `at` to the end of the cell or of the piece; returns where to read next. */
  #readPlain(text: string, at: number): number {
    if (this.#state === 'start' && text.charCodeAt(at) === QUOTE) {
      this.#state = 'quoted';
      this.#isQuoted = true;
      return at + 1;
    }
    let end = at;
    for (; end < text.length; end += 1) {
      const code = text.charCodeAt(end);
      if (code === this.#delimiter || code === LINE_FEED || code === CARRIAGE_RETURN) break;
    }
    this.#add(text, at, end);
    this.#state = 'plain';
    if (end === text.length) return end;
    const code = text.charCodeAt(end);
    if (code === this.#delimiter) this.#endCell();
    else this.#endRecord();
    if (code !== CARRIAGE_RETURN) return end + 1;
    this.#isAfterReturn = end + 1 === text.length;
    return text.charCodeAt(end + 1) === LINE_FEED ? end + 2 : end + 1;
  }

  #readQuoted(text: string, at: number): number {
    const quote = text.indexOf('"', at);
    this.#add(text, at, quote === -1 ? text.length : quote);
    if (quote === -1) return text.length;
    this.#state = 'after quote';
    return quote + 1;
  }

  #readAfterQuote(text: string, at: number): number {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      this.#state = 'quoted';
      this.#add(text, at, at + 1);
      return at + 1;
    }
    const ends = code === this.#delimiter || code === LINE_FEED || code === CARRIAGE_RETURN;
    if (!ends) {
      this.#cell = `"${this.#cell}"`;
      this.#misquoted.push(this.#cells.length);
    }
    this.#state = 'plain';
    return at;
  }

  /** Adds a part of the text to the cell, as long as the record is not too long. */
  #add(text: string, from: number, to: number): void {
    this.#characters += to - from;
    if (this.#characters <= MAX_RECORD_CHARACTERS) this.#cell += text.slice(from, to);
    else this.#fail(this.#state === 'quoted' ? 'open quote' : 'too many characters');
  }

  #endCell(): void {
    if (this.#isQuoted) this.#lineBreaks += lineBreaksIn(this.#cell);
    if (this.#cells.length === MAX_CELLS) this.#fail('too many cells');
    else this.#cells.push(this.#cell);
    this.#cell = '';
    this.#isQuoted = false;
    this.#state = 'start';
  }

  #endRecord(): void {
    this.#endCell();
    if (this.fault) return;
    const cells = this.#cells;
    if (cells.length > 1 || cells[0] !== '') {
      const misquoted = this.#misquoted;
      this.#records.push({ line: this.#line, cells, ...(misquoted.length > 0 && { misquoted }) });
      if (misquoted.length > 0) this.#misquoted = [];
      this.#cells = [];
    } else cells.pop();
    this.#line += 1 + this.#lineBreaks;
    this.#lineBreaks = 0;
    this.#characters = 0;
  }
}

function lineBreaksIn(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === LINE_FEED || (code === CARRIAGE_RETURN && text.charCodeAt(at + 1) !== LINE_FEED)) {
      count += 1;
    }
  }
  return count;
}
