import { bodyText, isObject } from '../contract/index.ts';
import { isDeeperThan, utf8Length, withoutStrings } from '../json/index.ts';
import { DEEP_LEVELS, type Payload } from './body.ts';

/** A payload without oddities. */
export interface PlainObject {
  /** In bytes of compact JSON. */
  readonly size: number;
  /** Its members as compact JSON, name included. */
  readonly members: readonly { readonly name: string; readonly text: string }[];
}

/**
 * Reads a payload with the engine's parser, in a tenth of the exact one's time. Undefined unless it
 * is an object without oddities: the engine's output equals the input, except for white space and
 * the spelling of strings, so no name occurs twice and no number lost a digit.
 */
export function plainObject(payload: Payload): PlainObject | undefined {
  const read = typeof payload === 'string' ? { text: payload } : bodyText(payload);
  if ('violation' in read) return undefined;
  const object = parsed(read.text);
  if (!isObject(object) || isDeeperThan(DEEP_LEVELS, object)) return undefined;
  const members = Object.keys(object).map((name) => ({
    name,
    text: `${JSON.stringify(name)}:${JSON.stringify(object[name])}`,
  }));
  const compact = `{${members.map(({ text }) => text).join(',')}}`;
  const isWritten = compact === read.text || withoutStrings(compact) === withoutStrings(read.text);
  return isWritten ? { size: utf8Length(compact), members } : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
