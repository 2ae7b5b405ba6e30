import { bodyText } from '../contract/index.ts';
import { utf8Length } from '../json/index.ts';
import type { Payload } from './body.ts';
import { type CompactForm, measureCompact } from './compact-form.ts';

/** A payload that has nothing odd in it. */
export interface PlainObject {
  readonly text: string;
  /** In bytes of compact JSON. */
  readonly size: number;
  /** The largest member, name included, in bytes of compact JSON, where it is known without a search. */
  readonly largest?: { readonly name: string; readonly size: number };
}

/**
 * The text and compact size of a payload that is for certain a JSON object with nothing odd in it: no
 * name that occurs twice, no number that could be lossy, no depth. Undefined for any other, and for
 * some that only look odd: those take the exact parser, which needs several times as long.
 *
 * The engine parses the text, and what it made is measured: what the length of that in compact form
 * and the payload's differ in tells the rest.
 */
export function plainObject(payload: Payload): PlainObject | undefined {
  const read = typeof payload === 'string' ? { text: payload } : bodyText(payload);
  if ('violation' in read) return undefined;
  const { text } = read;
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const form = measureCompact(value);
  if (form === undefined) return undefined;
  // Compact JSON escapes half of a character.
  const isEscaped = text.includes('\\') || /\p{Surrogate}/u.test(text);
  if (!isEscaped && isCompact(text, form)) return compactObject(text, form);
  // Only then they can be the same; to write a value takes longer than to measure it.
  const compact = isEscaped || text.length === form.length ? JSON.stringify(value) : undefined;
  if (compact === text) return { text, size: utf8Length(text) };
  const bare = withoutStrings(text);
  const ours = withoutSpace(bare);
  if (countColons(ours) !== form.names || MAYBE_LOSSY.test(ours)) return undefined;
  if (compact === undefined) return { text, size: utf8Length(text) - bare.length + ours.length };
  // With as many names they have the same structure, so only numbers differ: 1.0 is written as 1.
  const numbers = ours.length - withoutStrings(compact).length;
  return { text, size: utf8Length(compact) + numbers };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Whether a text without escapes has the length of its compact form for no other reason than that it
 * reads like it. A space, a name that occurs twice and digits to no effect make it longer. Only an
 * exponent makes it shorter, of a number with three zeros at one of its ends; and only a number of 16
 * digits is written with as many of them and yet not held.
 */
function isCompact(text: string, form: CompactForm): boolean {
  if (text.length !== form.length || form.hasLongNumber) return false;
  return !form.hasShorterNumber || !(LIKE_EXPONENT.test(text) && EXPONENT.test(text));
}

/** An exponent, or a part of a string such as a hash: nearly every text without one has neither. */
const LIKE_EXPONENT = /\d[eE][-+\d]/;
/** A number with an exponent, which takes longer to look for; few strings have what looks like it. */
const EXPONENT = /[:,[\s]-?[\d.]+[eE]/;

function compactObject(text: string, { largest }: CompactForm): PlainObject {
  const size = utf8Length(text);
  // Of others the largest in bytes may be another one.
  if (largest === undefined || size !== text.length) return { text, size };
  return { text, size, largest: { name: largest.name, size: largest.length } };
}

/** A valid text without its strings. */
function withoutStrings(text: string): string {
  // Escaped quotes go first: a pattern for strings with escapes may need more stack than there is.
  return text.replace(/\\["\\]/g, '').replace(/"[^"]*"/g, '');
}

function withoutSpace(text: string): string {
  return text.replace(/[ \t\r\n]+/g, '');
}

function countColons(text: string): number {
  return text.length - text.replaceAll(':', '').length;
}

/** A number of 16 characters or with an exponent, in a text without strings. */
const MAYBE_LOSSY = /[\d.]{16}|\d[eE]/;
