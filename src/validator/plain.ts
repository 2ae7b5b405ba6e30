import { bodyText } from '../contract/index.ts';
import { utf8Length } from '../json/index.ts';
import { DEEP_LEVELS, type Payload } from './body.ts';

/**
 * The text and compact size of a payload that is for certain a JSON object with nothing odd in it: no
 * name that occurs twice, no number that could be lossy, no depth. Undefined for any other, and for
 * some that only look odd: those take the exact parser, which needs several times as long.
 *
 * Nearly all is left to the engine, which writes what it read in compact form: what that text and the
 * payload's differ in tells the rest.
 */
export function plainObject(payload: Payload): { text: string; size: number } | undefined {
  const read = typeof payload === 'string' ? { text: payload } : bodyText(payload);
  if ('violation' in read) return undefined;
  const { text } = read;
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  if (isDeep(value, 1)) return undefined;
  const compact = JSON.stringify(value);
  // A name that occurs twice, a lossy number or a space would be missing.
  if (compact === text) return { text, size: utf8Length(text) };
  const [ours, compacted] = [withoutStrings(text), withoutStrings(compact)];
  if (countColons(ours) !== countColons(compacted) || MAYBE_LOSSY.test(ours)) return undefined;
  // With as many names they have the same structure, so only numbers differ: 1.0 is written as 1.
  return { text, size: utf8Length(compact) + ours.length - compacted.length };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Plain loops: this runs once in the life of a process, and iterators are slow until optimized. */
function isDeep(container: object, level: number): boolean {
  if (level > DEEP_LEVELS) return true;
  if (Array.isArray(container)) {
    for (let index = 0; index < container.length; index++) {
      if (leadsDeep(container[index], level)) return true;
    }
    return false;
  }
  // The parser's objects have own members only.
  for (const name in container) {
    if (leadsDeep(container[name as keyof typeof container], level)) return true;
  }
  return false;
}

function leadsDeep(value: unknown, level: number): boolean {
  return typeof value === 'object' && value !== null && isDeep(value, level + 1);
}

/** A valid text without its strings and the white space between its tokens. */
function withoutStrings(text: string): string {
  // Escaped quotes go first: a pattern for strings with escapes may need more stack than there is.
  return text.replace(/\\["\\]/g, '').replace(/"[^"]*"|[ \t\r\n]+/g, '');
}

function countColons(text: string): number {
  return text.length - text.replaceAll(':', '').length;
}

/** A number of 16 characters or with an exponent, in a text without strings. */
const MAYBE_LOSSY = /[\d.]{16}|\d[eE]/;
