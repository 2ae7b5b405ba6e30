import type { Schema } from '../../schema/schema.ts';

/** One of the forms in which a command prints JSON. */
export interface JsonForm<Value = unknown> {
  /** What it is, and when, such as `the plan, with --dry-run`. */
  readonly what: string;
  readonly schema: Schema<Value>;
  /** Whether it is a line among others; else it is the whole of standard output. */
  readonly isLine?: true;
}

/** The forms of commands, by the words of the command, `lectern` left out. */
export type JsonForms = Readonly<Record<string, readonly JsonForm[]>>;

export function document<Value>(what: string, schema: Schema<Value>): JsonForm<Value> {
  return { what, schema };
}

export function line<Value>(what: string, schema: Schema<Value>): JsonForm<Value> {
  return { what, schema, isLine: true };
}
