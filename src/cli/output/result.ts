import type { Output } from '../runtime.ts';
import type { ErrorReport } from './forms.ts';
import type { Table } from './table.ts';

/**
 * What a verb returns, and `printResults` prints: data alone, so that no verb has to know what
 * standard output is. A verb with a stream returns an async iterable of these.
 */
export interface Result<Json = unknown> {
  /** Printed with `--json`, by the schema of the command; a function is called only then. */
  readonly json?: Json | RawJson | JsonList | (() => Promise<Json | RawJson | JsonList>);
  /** Printed without `--json`. */
  readonly show?: Shown | readonly Shown[] | undefined;
  /** Errors of some items, for standard error; in JSON the items have them. */
  readonly errors?: readonly ErrorReport[];
  /** Sentences for standard error; neither `--json` nor `--quiet` prints them. */
  readonly notes?: readonly (string | undefined)[];
  /** The error that the command ends with, after all of this is printed. */
  readonly exit?: unknown;
  /** What took effect, for the error if standard output cannot be written, and how to see it. */
  readonly done?: string | { readonly what: string; readonly hint: string };
}

/** JSON that is text already, such as the service's own, whose numbers stay exact. */
export class RawJson {
  readonly text: string;
  /** `--fields` leaves it whole. */
  readonly isWhole: boolean;

  constructor(text: string, { isWhole = false } = {}) {
    this.text = text;
    this.isWhole = isWhole;
  }
}

/** A list of which there may be a million items, whose JSON is written as they come. */
export class JsonList {
  readonly pages: Pages<readonly string[]>;
  readonly place: ListPlace;

  constructor(pages: Pages<readonly string[]>, place: ListPlace = {}) {
    this.pages = pages;
    this.place = place;
  }
}

type Pages<Page> = AsyncIterable<Page> | Iterable<Page>;

/** Where a list is: it is lines, a member of an object, or else a document. */
interface ListPlace {
  readonly isLines?: boolean;
  readonly member?: {
    /** The members before it. */
    readonly head: object;
    readonly name: string;
    /** A list after it, which `--fields` leaves whole. */
    readonly next?: { readonly name: string; readonly pages: Pages<readonly string[]> };
    /** The members after it, called at the end. */
    readonly more?: () => object;
  };
}

/**
 * Something to show: a table, lines with untrusted parts, bytes as they are, JSON, or a text that is
 * made for an output, with its colours and its width.
 */
export type Shown = Table | string | Raw | AsJson | Drawn | Lines | Forms | TablePages;

interface Raw {
  readonly raw: string | Uint8Array;
}

/** Rows of a stream: tab-separated text, on a terminal too. */
interface Lines {
  readonly lines: Table;
}

interface AsJson {
  readonly json: unknown;
}

export interface Drawn {
  readonly drawn: (output: Output) => string | Promise<string>;
  /** It may be longer than the screen. */
  readonly isLong?: true;
}

/** Tables of a list, a page each. */
export interface TablePages {
  readonly pages: Pages<Table>;
  /** They are one CSV file, with these columns. */
  readonly csv?: Table;
  /** The last line of the file. */
  readonly comment?: string;
}

/** What is shown on each output; `--fields` chooses from the table, which is shown otherwise. */
interface Forms {
  readonly table?: Table;
  readonly terminal?: Shown | readonly Shown[];
  readonly pipe?: Shown | readonly Shown[];
}

export type Results<Json = unknown> = Result<Json> | AsyncIterable<Result<Json>>;
