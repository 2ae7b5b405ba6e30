import type { Json } from './value.ts';

/**
 * The maximum nesting of a text that is read, so that every function may recurse: that takes a
 * third of Node's stack. The contract has no limit; other parsers have limits of 100 to 1,000.
 */
export const MAX_LEVELS = 1000;

/** How many levels of objects and arrays a value has. */
export function levelsOf(value: Json): number {
  if (!(value instanceof Map) && !Array.isArray(value)) return 0;
  let inside = 0;
  for (const each of value.values()) inside = Math.max(inside, levelsOf(each));
  return inside + 1;
}

/** Whether a plain value is nested deeper than this. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  // Three times as fast as Object.values, once in a process; the parser's objects have own members only.
  for (const name in value) {
    const each: unknown = value[name as keyof typeof value];
    if (typeof each === 'object' && isDeeperThan(levels - 1, each)) return true;
  }
  return false;
}
