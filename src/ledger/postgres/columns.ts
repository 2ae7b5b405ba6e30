import { createHash } from 'node:crypto';
import type { Dialect } from '../attempt-sql.ts';
import { ATTEMPT, type ColumnTypes, OUTCOME, type ValuesOf } from '../columns.ts';
import { runRows } from '../run-sql.ts';

/** The columns that identify an attempt and its author. */
const MADE = {
  try: 'int null',
  token: 'uuid',
  pass: 'int null',
  worker: 'bigint null',
} as const;
export const SHARED_ATTEMPT = { ...ATTEMPT, ...MADE } as const;

/** A text with a NUL, which a text column cannot hold, is in `bytes`. */
export const SHARED_OUTCOME = { ...OUTCOME, bytes: 'bytea null' } as const;

/** SQL: the rows of a parameter, as `jsonRows` makes it, as `given`. */
export function givenRows(parameter: string, columns: ColumnTypes): string {
  const types = Object.entries(columns).map(
    ([name, type]) => `${name} ${type.replace(' null', '')}`,
  );
  return `jsonb_to_recordset(${parameter}::jsonb) AS given (${types.join(', ')})`;
}

/** Milliseconds since the epoch, of a column of times. */
function msOf(column: string): string {
  return `floor(extract(epoch FROM ${column}) * 1000)::bigint`;
}

export const POSTGRES: Dialect = {
  schema: 'lectern.',
  outcome: SHARED_OUTCOME,
  more: { worker: MADE.worker },
  msOf,
  timeOf: (ms) => `to_timestamp(${ms}::float8 / 1000)`,
  isOneOf: (text, list) => `${text} = ANY (${list}::text[])`,
  listOf: (texts) => texts,
  givenRows,
  jsonOf: jsonRows,
  targetKey: { column: 'sha256', of: digestOf },
};

export function toSharedOutcome({ text, ...columns }: ValuesOf<typeof OUTCOME>) {
  const isText = text === null || !text.includes('\0');
  const bytes = isText ? null : `\\x${Buffer.from(text).toString('hex')}`;
  return { ...columns, text: isText ? text : null, bytes };
}

/** The digest that identifies a target, of its address with the placeholder. */
export function digestOf(template: string): string {
  return createHash('sha256').update(template).digest('hex');
}

/** A lone surrogate as JSON.stringify escapes it, or a text that looks like one. */
const HALF = /\\ud[89a-f]/;

/** Rows as a parameter for `jsonb_to_recordset`, which refuses lone surrogates. */
export function jsonRows(rows: readonly object[]): string {
  const json = JSON.stringify(rows);
  return HALF.test(json) ? JSON.stringify(rows, wholeCharacters) : json;
}

/** Replaces lone surrogates by U+FFFD, as UTF-8 does. */
function wholeCharacters(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? Buffer.from(value).toString() : value;
}

/** The number of the next attempt for a row. */
export const nextTry = (row: string): string => `coalesce((
  SELECT max(earlier.try) + 1 FROM lectern.attempts AS earlier
  WHERE earlier.run = ${row}.run AND earlier.line = ${row}.line), 0)`;

/** The rows of runs as `row`, each with the attempt that decides its state. */
export const ROWS = runRows(POSTGRES);
