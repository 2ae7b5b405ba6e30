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
   * it unless it is an error.
   */
  readonly found?: readonly string[];
  /** 422 where the service refuses the payload; it accepts it by default. */
  readonly status?: 422;
  /** The message of the refusal, or a part of it. */
  readonly message?: string;
  readonly payloads: readonly Payload[];
}

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
