/**
 * The rules of the contract as tables, one file for each subject. A rule has payloads that it
 * accepts or refuses, and three runners ask about each payload: the validator, the emulator over
 * HTTP, and the command line.
 */
import type { Payload } from '../../src/validator/index.ts';

export interface Rule {
  readonly name: string;
  /**
   * What is found in each payload, in this order: `code`, or `code path`, with ` (warning)` behind
   * it unless it is an error. The service refuses a payload with an error.
   */
  readonly found?: readonly string[];
  /** The message of the refusal, or a part of it. */
  readonly message?: string;
  readonly payloads: readonly Payload[];
}

/** A rule in a line: what is found is '' where that is nothing; a text at the end is its message. */
export type Row<Of extends Rule = Rule> = readonly [
  name: string,
  found: string | readonly string[],
  payloads: readonly Payload[],
  more?: string | Partial<Of>,
];

/** The rules of a table, in which one may be written as a whole. */
export const rulesOf = <Of extends Rule = Rule>(rows: readonly (Row<Of> | Of)[]): readonly Of[] =>
  rows.map((row) => {
    if (!Array.isArray(row)) return row as Of;
    const [name, found, payloads, more = {}] = row as Row<Of>;
    const others = typeof more === 'string' ? { message: more } : more;
    return { name, found: [found].flat().filter(Boolean), payloads, ...others } as unknown as Of;
  });

/** Whether a finding of a rule is an error. */
export const isError = (found: string): boolean => !found.endsWith(')');

/** A payload, to name it in a failure: a long one is cut. */
export function shown(payload: Payload): string {
  const text = typeof payload === 'string' ? payload : Buffer.from(payload).toString('latin1');
  return text.length <= 80 ? text : `${text.slice(0, 60)}… (${text.length})`;
}

/** `arrays` arrays in an object: with the object, one level more. */
export const nested = (arrays: number): string =>
  `{"k":${'['.repeat(arrays)}${']'.repeat(arrays)}}`;

/** A row whose compact form has exactly `bytes` bytes, most of them `filler` as it is written. */
export function rowOf(bytes: number, filler = 'x'): string {
  const room = bytes - '{"k":""}'.length;
  const width = Buffer.byteLength(filler);
  return `{"k":"${filler.repeat(Math.floor(room / width))}${'y'.repeat(room % width)}"}`;
}
