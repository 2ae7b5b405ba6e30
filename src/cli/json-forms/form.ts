import type { Schema } from '../../schema/schema.ts';

export interface JsonForm<Value = unknown> {
  /** Its content and condition, such as `the plan, with --dry-run`. */
  readonly what: string;
  readonly schema: Schema<Value>;
  /** Whether it is one of several lines; else it is the whole of standard output. */
  readonly isLine?: true;
}

/** The forms by command, without `lectern`. */
export type JsonForms = Readonly<Record<string, readonly JsonForm[]>>;

export function document<Value>(what: string, schema: Schema<Value>): JsonForm<Value> {
  return { what, schema };
}

export function line<Value>(what: string, schema: Schema<Value>): JsonForm<Value> {
  return { what, schema, isLine: true };
}
