import { type Json, JsonNumber } from '../json/value.ts';
import { compactJson } from '../json/print.ts';

/**
 * Pairs the elements of two short arrays, in the order of both, so that they have as much in common
 * as possible. Takes time and memory in proportion to the product of the lengths.
 */
export function pairBySimilarity(
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
