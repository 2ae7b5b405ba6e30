import { bodyText } from '../contract/index.ts';
import { measure } from '../json/index.ts';
import { DEEP_LEVELS, type Payload } from './body.ts';

/**
 * The text and compact size of a payload that is for certain a JSON object with nothing odd in it: no
 * name that occurs twice, no number that could be lossy, no depth. Undefined for any other, and for
 * some that only look odd: those take the exact parser, which needs several times as long.
 */
export function plainObject(payload: Payload): { text: string; size: number } | undefined {
  const read = typeof payload === 'string' ? { text: payload } : bodyText(payload);
  if ('violation' in read) return undefined;
  const { text } = read;
  if (MAYBE_LOSSY.test(text)) return undefined;
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { size, names } = measure(text);
  return countNames(value, 1) === names ? { text, size } : undefined;
}

/** A number of 16 characters or with an exponent. In a string it is of no account, but costs time. */
const MAYBE_LOSSY = /[:,[\s]-?[\d.]*(?:[\d.]{16}|\d[eE][+-]?\d)/;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The names in all objects together, each once for its object; NaN where they are deep. */
function countNames(container: object, level: number): number {
  if (level > DEEP_LEVELS) return Number.NaN;
  let count = 0;
  if (Array.isArray(container)) {
    for (const value of container as unknown[]) count += namesIn(value, level);
    return count;
  }
  // The parser's objects have own members only, and for-in makes no list of them.
  for (const name in container) {
    count += 1 + namesIn(container[name as keyof typeof container], level);
  }
  return count;
}

function namesIn(value: unknown, level: number): number {
  return typeof value === 'object' && value !== null ? countNames(value, level + 1) : 0;
}
