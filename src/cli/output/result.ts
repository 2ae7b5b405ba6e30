import type { Output } from '../runtime.ts';
import type { ErrorReport } from './forms.ts';
import type { Table } from './table.ts';

/**
 * What a verb returns, and `printResults` prints: data alone, so that no verb has to know what
 * standard output is. A verb with a stream returns an async iterable of these.
 */
export interface Result<Json = unknown> {
  /** Printed with `--json`, by the schema of the command; a function is called only then. */
  readonly json?: Json | RawJson | (() => Promise<Json | RawJson>);
  /** Printed without `--json`. */
  readonly show?: Shown | readonly Shown[] | undefined;
  /** Errors of some items, for standard error; in JSON the items have them. */
  readonly errors?: readonly ErrorReport[];
  /** Sentences for standard error; neither `--json` nor `--quiet` prints them. */
  readonly notes?: readonly (string | undefined)[];
  /** The error that the command ends with, after all of this is printed. */
  readonly exit?: unknown;
  /** What took effect, for the error if standard output cannot be written. */
  readonly done?: string;
}

/** JSON that is text already, such as the service's own, whose numbers stay exact. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Something to show: a table, lines with untrusted parts, bytes as they are, JSON, or a text that is
 * made for an output, with its colours and its width.
 */
export type Shown = Table | string | Raw | AsJson | Drawn | Forms;

interface Raw {
  readonly raw: string | Uint8Array;
}

interface AsJson {
  readonly json: unknown;
}

interface Drawn {
  readonly drawn: (output: Output) => string | Promise<string>;
  /** It may be longer than the screen. */
  readonly isLong?: true;
}

/** A table from which `--fields` chooses, and what is shown in its place without that flag. */
interface Forms {
  readonly table: Table;
  readonly terminal?: Shown | readonly Shown[];
  readonly pipe?: Shown | readonly Shown[];
}

export type Results<Json = unknown> = Result<Json> | AsyncIterable<Result<Json>>;
