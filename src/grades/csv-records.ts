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
 * Splits CSV into records (RFC 4180) as its pieces arrive. Any of `\r\n`, `\n` and `\r` ends a record,
 * since a file may mix them; empty lines are skipped. As in csv-parse with `relax_quotes`, a quote inside
 * an unquoted cell is an ordinary character, and so are both quotes of a cell that continues after the
 * second, which is marked. Only one record is held in memory, up to the limits: see
 * docs/decisions/0010-csv.md.
 */
export class CsvReader {
  /** Set when the text cannot be read further. */
  fault: CsvFault | undefined;
  readonly #delimiter: number;
  /** The text from the start of a record on, where the next record begins in it, and on which line. */
  #text = '';
  #at = 0;
  #line = 1;
  /** A record that is not there whole is read again once its text has doubled: that is linear. */
  #least = 0;

  /** @param delimiter one character */
  constructor(delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0);
  }

  /** The records that end in this piece of the text. */
  read(text: string): CsvRecord[] {
    this.#text += text;
    return this.#text.length < this.#least ? [] : this.#split(false);
  }

  /** The records that end with the text. */
  end(): CsvRecord[] {
    return this.#split(true);
  }

  #split(isEnd: boolean): CsvRecord[] {
    const records: CsvRecord[] = [];
    while (this.#at < this.#text.length) {
      const record = this.#readRecord(isEnd);
      if (record === undefined) break;
      const { cells } = record;
      if (cells.length > 1 || cells[0] !== '') records.push(record);
    }
    this.#text = this.#text.slice(this.#at);
    this.#at = 0;
    this.#least = Math.min(2 * this.#text.length, MAX_RECORD_CHARACTERS + 1);
    return records;
  }

  #fail(kind: CsvFault['kind']): undefined {
    this.fault ??= { line: this.#line, kind };
  }

  /** undefined for a record that is not there whole, or cannot be read. */
  #readRecord(isEnd: boolean): CsvRecord | undefined {
    if (this.fault) return undefined;
    const text = this.#text;
    const cells: string[] = [];
    const misquoted: number[] = [];
    const most = this.#at + MAX_RECORD_CHARACTERS;
    let lineBreaks = 0;
    for (let at = this.#at; ; at += 1) {
      let cell = '';
      const isQuoted = text.charCodeAt(at) === QUOTE;
      if (isQuoted) {
        const quote = closingQuote(text, at);
        if (quote === -1 && !isEnd && text.length <= most) return undefined;
        if (quote === -1 || quote > most) return this.#fail('open quote');
        cell = text.slice(at + 1, quote).replaceAll('""', '"');
        lineBreaks += cell.match(LINE_BREAKS)?.length ?? 0;
        at = quote + 1;
      }
      const end = endOfCell(text, at, this.#delimiter);
      if (end > most) return this.#fail('too many characters');
      // A carriage return may have its line feed in the next piece.
      if (!isEnd && end + 1 >= text.length && text.charCodeAt(end) !== LINE_FEED) return undefined;
      if (isQuoted && end > at) {
        misquoted.push(cells.length);
        cell = `"${cell}"`;
      }
      if (cells.length === MAX_CELLS) return this.#fail('too many cells');
      cells.push(cell + text.slice(at, end));
      at = end;
      const code = text.charCodeAt(end);
      if (code === this.#delimiter) continue;
      const isPair = code === CARRIAGE_RETURN && text.charCodeAt(end + 1) === LINE_FEED;
      this.#at = end + (isPair ? 2 : 1);
      const line = this.#line;
      this.#line += 1 + lineBreaks;
      return misquoted.length > 0 ? { line, cells, misquoted } : { line, cells };
    }
  }
}

function endOfCell(text: string, from: number, delimiter: number): number {
  let end = from;
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (code === delimiter || code === LINE_FEED || code === CARRIAGE_RETURN) break;
  }
  return end;
}

const LINE_BREAKS = /\r\n|\n|\r/g;

/** The quote that closes a cell; -1 if there is none. */
function closingQuote(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1 && text.charCodeAt(quote + 1) === QUOTE) quote = text.indexOf('"', quote + 2);
  return quote;
}
