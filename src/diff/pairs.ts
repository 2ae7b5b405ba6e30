import { OPEN_BRACE, OPEN_BRACKET } from '../json/characters.ts';
import type { Line, Sides, Stretch } from './elements.ts';
import { elementsFrom, membersFrom, skipSpace, type Span } from '../json/spans.ts';

/** Above this many pairs they are not compared each with each, but taken in their order. */
const MAX_COMPARED = 400;

/** In a stretch where no two elements are equal, says which becomes which; the rest goes or is new. */
export function pairUp(sides: Sides, stretch: Stretch, lines: Line[]): void {
  let { a, b } = stretch;
  const until = (aEnd: number, bEnd: number): void => {
    while (a < aEnd) lines.push({ old: sides.old[a++], now: undefined, place: b });
    while (b < bEnd) lines.push({ old: undefined, now: sides.now[b], place: b++ });
  };
  for (const [i, j] of pairsIn(sides, stretch)) {
    until(i, j);
    lines.push({ old: sides.old[a++], now: sides.now[b], place: b++ });
  }
  until(stretch.aEnd, stretch.bEnd);
}

function pairsIn(sides: Sides, { a, aEnd, b, bEnd }: Stretch): (readonly [number, number])[] {
  const [width, height] = [aEnd - a, bEnd - b];
  if (width === height && width === 1) return [[a, b]];
  if (width * height > MAX_COMPARED || width * height === 0) {
    return Array.from({ length: Math.min(width, height) }, (_, index) => [a + index, b + index]);
  }
  const old = sides.old.slice(a, aEnd).map((span) => lookOf(sides.before, span));
  const now = sides.now.slice(b, bEnd).map((span) => lookOf(sides.after, span));
  return mostAlike(old, now).map(([i, j]) => [a + i, b + j]);
}

/** What two elements are compared by: what they are, and for containers what is in them. */
interface Look {
  readonly code: number;
  readonly parts: ReadonlySet<string>;
}

function lookOf(text: string, { start }: Span): Look {
  const code = text.charCodeAt(start);
  const first = skipSpace(text, start + 1);
  const parts = new Set<string>();
  if (code === OPEN_BRACKET) {
    for (const each of elementsFrom(text, first).elements)
      parts.add(text.slice(each.start, each.end));
  } else if (code === OPEN_BRACE) {
    for (const each of membersFrom(text, first).members) {
      parts.add(`${each.name}:${text.slice(each.start, each.end)}`);
    }
  }
  return { code, parts };
}

/** How much is won by changing one into the other instead of taking one out and putting one in. */
function gain(old: Look, now: Look): number {
  if (old.code !== now.code) return 0.1;
  let shared = 0;
  for (const part of old.parts) if (now.parts.has(part)) shared++;
  const all = Math.max(old.parts.size, now.parts.size);
  return 0.2 + (all === 0 ? 0 : shared / all);
}

/** The pairs, in the order of both, that win the most altogether. */
function mostAlike(old: readonly Look[], now: readonly Look[]): [number, number][] {
  const width = now.length + 1;
  const best = new Float64Array((old.length + 1) * width);
  const at = (i: number, j: number): number => best[i * width + j] as number;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      const paired = gain(old[i] as Look, now[j] as Look) + at(i + 1, j + 1);
      best[i * width + j] = Math.max(paired, at(i + 1, j), at(i, j + 1));
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
