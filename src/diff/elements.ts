import { diffArrays } from 'diff';
import { jsonEqual } from '../json/compare.ts';
import { compactJson } from '../json/print.ts';
import { type Json, JsonNumber } from '../json/value.ts';

/** A range of each of two arrays; the ends are not part of it. */
interface Range {
  readonly old: readonly Json[];
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly now: readonly Json[];
  readonly nowStart: number;
  readonly nowEnd: number;
}

/** Which elements of two arrays are the same ones, changed or not. */
export interface ElementMatches extends Range {
  /** For each element of the range in the old array: its index in the new one, or -1. Ascending. */
  readonly matches: Int32Array;
}

/**
 * Matches the elements of two arrays between those that are equal at either end: the same ones,
 * then those that share their first member, then those that have most in common.
 */
export function matchElements(old: readonly Json[], now: readonly Json[]): ElementMatches {
  const range = withoutEqualEnds(old, now);
  const matches = new Int32Array(range.oldEnd - range.oldStart).fill(-1);
  for (const [at, other] of pairsIn(range)) matches[at - range.oldStart] = other;
  return { ...range, matches };
}

function withoutEqualEnds(old: readonly Json[], now: readonly Json[]): Range {
  let start = 0;
  let [oldEnd, nowEnd] = [old.length, now.length];
  const isEqual = (at: number, other: number): boolean =>
    at < oldEnd && other < nowEnd && jsonEqual(old[at] as Json, now[other] as Json);
  while (isEqual(start, start)) start++;
  while (oldEnd > start && nowEnd > start && isEqual(oldEnd - 1, nowEnd - 1)) {
    oldEnd--;
    nowEnd--;
  }
  return { old, oldStart: start, oldEnd, now, nowStart: start, nowEnd };
}

type Pair = readonly [old: number, now: number];

function pairsIn(range: Range): Pair[] {
  const { old, oldStart, oldEnd, now, nowStart, nowEnd } = range;
  const size = sizeOf(range);
  if (size === 0) return [];
  if (size === 1) return [[oldStart, nowStart]];
  const sides = [old.slice(oldStart, oldEnd), now.slice(nowStart, nowEnd)];
  if (sides.every(distinctKeys)) return pairsBy(keyOf, range, similarPairs);
  return pairsBy(textOf, range, (gap) =>
    sizeOf(gap) <= MAX_SIZE ? similarPairs(gap) : pairsBy(keyOf, gap, similarPairs),
  );
}

/** How many pairs there are in a range. */
function sizeOf({ oldStart, oldEnd, nowStart, nowEnd }: Range): number {
  return (oldEnd - oldStart) * (nowEnd - nowStart);
}

/** Above this size not every element is compared with every other: they are paired as they come. */
const MAX_SIZE = 400;

function similarPairs(range: Range): Pair[] {
  const { old, oldStart, oldEnd, now, nowStart, nowEnd } = range;
  const pairs: Pair[] =
    sizeOf(range) <= MAX_SIZE
      ? pairBySimilarity(old.slice(oldStart, oldEnd), now.slice(nowStart, nowEnd))
      : Array.from({ length: Math.min(oldEnd - oldStart, nowEnd - nowStart) }, (_, at) => [at, at]);
  return pairs.map(([at, other]) => [oldStart + at, nowStart + other]);
}

/** More edits than this are not searched for, which takes a tenth of a second. */
const MAX_EDITS = 1000;

/** Pairs elements with the same key, as many as go in the order of both, and what is between them. */
function pairsBy(key: (value: Json) => Key, range: Range, between: (gap: Range) => Pair[]): Pair[] {
  const { old, oldStart, oldEnd, now, nowStart, nowEnd } = range;
  const changes = diffArrays(
    old.slice(oldStart, oldEnd).map(key),
    now.slice(nowStart, nowEnd).map(key),
    { maxEditLength: MAX_EDITS },
  );
  if (changes === undefined) return between(range);
  const pairs: Pair[] = [];
  let [at, other] = [oldStart, nowStart];
  let rest = range;
  const pairUntilHere = (): void => {
    const gap = { ...rest, oldEnd: at, nowEnd: other };
    if (sizeOf(gap) > 0) for (const pair of between(gap)) pairs.push(pair);
  };
  for (const { count, removed, added } of changes) {
    if (removed) at += count;
    else if (added) other += count;
    else {
      pairUntilHere();
      for (let each = 0; each < count; each++) pairs.push([at++, other++]);
      rest = { ...range, oldStart: at, nowStart: other };
    }
  }
  pairUntilHere();
  return pairs;
}

/** The keys of some elements; undefined if one has none, or shares it with another. */
function distinctKeys(values: readonly Json[]): Key[] | undefined {
  const keys = values.map(keyOf);
  return keys.includes(NO_KEY) || new Set(keys).size < keys.length ? undefined : keys;
}

/** Whether each element at these indexes keeps its key, and no two have the same key. */
export function keepKeys(
  old: readonly Json[],
  now: readonly Json[],
  indexes: readonly number[],
): boolean {
  const keys = distinctKeys(indexes.map((index) => old[index] as Json));
  return keys?.every((key, at) => key === keyOf(now[indexes[at] as number] as Json)) === true;
}

/** Equal for equal values; the number 1 and the string "1" share theirs, which only makes them a pair. */
function textOf(value: Json): string {
  return typeof value === 'string' ? value : compactJson(value);
}

type Key = string | number;

const NO_KEY = 0;

/** The first member of a container, if it is a string or a number, as an ID is; else `NO_KEY`. */
function keyOf(value: Json): Key {
  const isContainer = value instanceof Map || Array.isArray(value);
  const first = isContainer ? value.values().next().value : undefined;
  if (typeof first === 'string') return first;
  return first instanceof JsonNumber ? first.text : NO_KEY;
}

/** The pairs of indexes of elements that are the same ones, changed or not: all of them, in order. */
export function matchedElements(old: readonly Json[], now: readonly Json[]): Pair[] {
  const { oldStart, oldEnd, matches } = matchElements(old, now);
  const moved = now.length - old.length;
  return old.flatMap((_, at): Pair[] => {
    if (at < oldStart) return [[at, at]];
    const other = at < oldEnd ? (matches[at - oldStart] as number) : at + moved;
    return other === -1 ? [] : [[at, other]];
  });
}

/**
 * Pairs the elements of two short arrays, in the order of both, so that they have as much in common
 * as possible. Takes time and memory in proportion to the product of the lengths.
 */
function pairBySimilarity(
  old: readonly Json[],
  now: readonly Json[],
): [old: number, now: number][] {
  const [features, newFeatures] = [old.map(featuresOf), now.map(featuresOf)];
  const width = now.length + 1;
  /** For two indexes: the similarity of all pairs from there on. */
  const best = new Float64Array((old.length + 1) * width);
  const at = (i: number, j: number): number => best[i * width + j] as number;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      const paired = similarity(features[i] as Features, newFeatures[j] as Features);
      best[i * width + j] = Math.max(paired + at(i + 1, j + 1), at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: [number, number][] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < now.length) {
    if (at(i, j) === at(i + 1, j)) i++;
    else if (at(i, j) === at(i, j + 1)) j++;
    else pairs.push([i++, j++]);
  }
  return pairs;
}

/** What a value is compared by: its type, and the text of each of its members. */
interface Features {
  readonly type: string;
  readonly members: ReadonlySet<string>;
}

function featuresOf(value: Json): Features {
  const members = new Set<string>();
  if (value instanceof Map) {
    for (const [name, each] of value) members.add(`${name}:${compactJson(each)}`);
    return { type: 'object', members };
  }
  if (!Array.isArray(value)) {
    return { type: value instanceof JsonNumber ? 'number' : typeof value, members };
  }
  for (const each of value) members.add(compactJson(each));
  return { type: 'array', members };
}

/** From 0.1 for values of different types to 1.2 for containers with the same members. */
function similarity(old: Features, now: Features): number {
  if (old.type !== now.type) return 0.1;
  let common = 0;
  for (const member of old.members) if (now.members.has(member)) common++;
  const all = Math.max(old.members.size, now.members.size);
  return 0.2 + (all === 0 ? 0 : common / all);
}
