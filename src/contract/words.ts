import { type Json, toNative } from '../json/index.ts';
import { maskSecrets } from './secrets.ts';

const MAX_SHOWN_CHARACTERS = 60;

/** Shortens a foreign text for a message, without what looks like a secret. */
export function truncate(text: string): string {
  return shorten(maskSecrets(text));
}

/** Shortens an ID or a path for a message: as a whole it may look like a secret. */
export function shorten(text: string): string {
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
}

/** Names a parsed value's JSON type with its article, as messages use it. */
export function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  switch (typeof value) {
    case 'string':
      return 'a string';
    case 'number':
      return 'a number';
    case 'boolean':
      return 'a boolean';
    default:
      return 'an object';
  }
}

/** Names the type of a value, as the messages word it. */
export function describeType(value: Json): string {
  // A deep value need not be converted, since only the outermost type matters.
  return jsonTypeOf(Array.isArray(value) ? [] : value instanceof Map ? {} : toNative(value));
}

/** Why a text cannot be read that Windows PowerShell 5 wrote with `>`. */
export const UTF16_FAULT = 'the file is UTF-16, not UTF-8';

const UNITS = ['B', 'KB', 'MB', 'GB'];

/** A size in units of 1024 bytes, like the limits: `512 B`, `4.6 KB`, `24.0 MB`, `100 MB`. */
export function bytesText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (Math.round(value) >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value.toFixed(unit > 0 && value < 100 ? 1 : 0)} ${UNITS[unit]}`;
}

/** A number with thousands separators: `12,345`. */
export function numberText(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A number and its noun: `1 file`, `2,970 files`. */
export function countText(count: number, noun: string, many = `${noun}s`): string {
  return `${numberText(count)} ${count === 1 ? noun : many}`;
}

/** More ranges are not read. */
const MAX_RANGES = 8;

/** Lines as ranges: `2-100, 102`. */
export function lineRanges(lines: readonly number[]): string {
  const ranges: [from: number, to: number][] = [];
  for (const line of lines.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && line === last[1] + 1) last[1] = line;
    else ranges.push([line, line]);
  }
  const shown = ranges
    .slice(0, MAX_RANGES)
    .map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
  return [...shown, ...(ranges.length > MAX_RANGES ? ['…'] : [])].join(', ');
}

/** A word of a command line, in quotes if a shell would change it. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A path as an argument of a command line, which no `-` makes a flag. */
export function quotedPath(path: string): string {
  return quoted(/^-./.test(path) ? `./${path}` : path);
}

/** A flag with its value, for a command line; one word if the value would be taken for a flag. */
export function flagWord(flag: string, value: string): string {
  return /^-./.test(value)
    ? quoted(`${flag}${flag.startsWith('--') ? '=' : ''}${value}`)
    : `${flag} ${quoted(value)}`;
}
