import { DEEP_LEVELS } from './body.ts';

/** What the compact text of an object that the engine parsed is like, measured without writing it. */
export interface CompactForm {
  /** In UTF-16 units, with its strings as they are, without escapes. */
  readonly length: number;
  /** How many names there are. */
  readonly names: number;
  /** Whether a number has so many digits that its text may say more than the engine holds. */
  readonly hasLongNumber: boolean;
  /** Whether a number can be written shorter than compact JSON has it, with an exponent: 1000, 0.001. */
  readonly hasShorterNumber: boolean;
  /** The first of the longest members, name included, unless its place in the text is not known. */
  readonly largest: { readonly name: string; readonly length: number } | undefined;
}

/** What has been found so far. */
interface Found {
  names: number;
  hasLongNumber: boolean;
  hasShorterNumber: boolean;
  isDeep: boolean;
}

/** Measures an object as `JSON.parse` makes it; undefined if it has more levels than `DEEP_LEVELS`. */
export function measureCompact(object: object): CompactForm | undefined {
  const found: Found = { names: 0, hasLongNumber: false, hasShorterNumber: false, isDeep: false };
  const largest = { name: '', length: 0 };
  let isTied = false;
  let length = 1;
  let names = 0;
  for (const name in object) {
    names++;
    const member = name.length + 3 + lengthOf(object[name as keyof typeof object], 1, found);
    length += member + 1;
    if (member > largest.length) {
      largest.name = name;
      largest.length = member;
      isTied = false;
      // Names that look like an index come first, wherever they stand in the text.
    } else if (member === largest.length && LIKE_INDEX.test(largest.name)) isTied = true;
  }
  if (found.isDeep) return undefined;
  const { hasLongNumber, hasShorterNumber } = found;
  return {
    length: names === 0 ? EMPTY : length,
    names: found.names + names,
    hasLongNumber,
    hasShorterNumber,
    largest: names === 0 || isTied ? undefined : largest,
  };
}

const LIKE_INDEX = /^\d/;
/** The length of {} and []. */
const EMPTY = 2;

/**
 * All in one function, and in plain loops: this runs once in the life of a process, and calls and
 * iterators are slow until they are optimized.
 */
function lengthOf(value: unknown, level: number, found: Found): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value === 'number') return numberLength(value, found);
  if (typeof value !== 'object' || value === null) return value === false ? 5 : 4;
  if (level === DEEP_LEVELS) {
    found.isDeep = true;
    return 0;
  }
  let length = 1;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      length += lengthOf(value[index], level + 1, found) + 1;
    }
  } else {
    let names = 0;
    // The parser's objects have own members only.
    for (const name in value) {
      names++;
      // Quotes, a colon, and a comma or bracket.
      length += name.length + 4 + lengthOf(value[name as keyof typeof value], level + 1, found);
    }
    found.names += names;
  }
  return length === 1 ? EMPTY : length;
}

/** Fifteen digits are always held. */
const HELD_LENGTH = 15;

function numberLength(value: number, found: Found): number {
  if (value >= 0 && value < 1000 && (value | 0) === value) {
    return value < 10 ? 1 : value < 100 ? 2 : 3;
  }
  const { length } = String(value);
  const size = Math.abs(value);
  if (length > HELD_LENGTH) found.hasLongNumber = true;
  if (size < 0.01 || size >= 1e21 || value % 1000 === 0) found.hasShorterNumber = true;
  return length;
}
