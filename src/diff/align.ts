/**
 * Lines up two sequences of small numbers (0 to `kinds` - 1): for each element of `a` the place of
 * its equal in `b`, or -1; places only grow. Elements that occur once in both are lined up first, in
 * their longest common order, which takes n log n; what remains between them is searched for the
 * fewest edits, as long as those are few.
 */
export function align(a: Int32Array, b: Int32Array, kinds: number): Int32Array {
  const matches = new Int32Array(a.length).fill(-1);
  const tally = {
    a: new Int32Array(kinds),
    b: new Int32Array(kinds),
    place: new Int32Array(kinds),
  };
  const pending: Range[] = [{ a: 0, aEnd: a.length, b: 0, bEnd: b.length }];
  for (let range = pending.pop(); range !== undefined; range = pending.pop()) {
    const inner = trim(a, b, range, matches);
    const [width, height] = [inner.aEnd - inner.a, inner.bEnd - inner.b];
    if (width === 0 || height === 0 || width + height === 2) continue;
    const anchors = matchUnique(a, b, inner, tally, matches);
    if (anchors.length > 0) for (const each of between(inner, anchors, matches)) pending.push(each);
    else fewestEdits(a, b, inner, matches);
  }
  return matches;
}

interface Range {
  readonly a: number;
  readonly aEnd: number;
  readonly b: number;
  readonly bEnd: number;
}

/** Matches what is equal at both ends, and returns what lies between. */
function trim(a: Int32Array, b: Int32Array, range: Range, matches: Int32Array): Range {
  let { a: i, aEnd, b: j, bEnd } = range;
  while (i < aEnd && j < bEnd && a[i] === b[j]) matches[i++] = j++;
  while (i < aEnd && j < bEnd && a[aEnd - 1] === b[bEnd - 1]) matches[--aEnd] = --bEnd;
  return { a: i, aEnd, b: j, bEnd };
}

/** How often each kind occurs in the range at hand, and where in `b`; all zero between two calls. */
interface Tally {
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly place: Int32Array;
}

/** Matches what occurs once on either side, as much as can be in the order of both; where in `a`. */
function matchUnique(
  a: Int32Array,
  b: Int32Array,
  range: Range,
  tally: Tally,
  matches: Int32Array,
): number[] {
  count(a, range.a, range.aEnd, tally.a);
  count(b, range.b, range.bEnd, tally.b);
  for (let j = range.b; j < range.bEnd; j++) tally.place[b[j] as number] = j;
  const candidates: number[] = [];
  const places: number[] = [];
  for (let i = range.a; i < range.aEnd; i++) {
    const kind = a[i] as number;
    if (tally.a[kind] !== 1 || tally.b[kind] !== 1) continue;
    candidates.push(i);
    places.push(tally.place[kind] as number);
  }
  for (let i = range.a; i < range.aEnd; i++) tally.a[a[i] as number] = 0;
  for (let j = range.b; j < range.bEnd; j++) tally.b[b[j] as number] = 0;
  return longestGrowing(places).map((index) => {
    const i = candidates[index] as number;
    matches[i] = places[index] as number;
    return i;
  });
}

function count(kinds: Int32Array, from: number, to: number, into: Int32Array): void {
  for (let at = from; at < to; at++) {
    const kind = kinds[at] as number;
    into[kind] = (into[kind] as number) + 1;
  }
}

/** The indexes of the longest run of places, not necessarily neighbours, that grow. */
function longestGrowing(places: readonly number[]): number[] {
  /** By length: the index of the smallest end of all runs that long. */
  const ends: number[] = [];
  const previous = new Int32Array(places.length);
  for (let index = 0; index < places.length; index++) {
    const place = places[index] as number;
    let low = 0;
    let high = ends.length;
    // Mostly the order is kept, and the longest run so far simply grows.
    if (high > 0 && (places[ends[high - 1] as number] as number) < place) low = high;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((places[ends[middle] as number] as number) < place) low = middle + 1;
      else high = middle;
    }
    previous[index] = low === 0 ? -1 : (ends[low - 1] as number);
    ends[low] = index;
  }
  const run: number[] = [];
  for (let at = ends.at(-1) ?? -1; at !== -1; at = previous[at] as number) run.push(at);
  return run.reverse();
}

/** The ranges between the anchors, which are matched already. */
function between(range: Range, anchors: readonly number[], matches: Int32Array): Range[] {
  const ranges: Range[] = [];
  let { a, b } = range;
  for (const i of anchors) {
    const j = matches[i] as number;
    if (i > a && j > b) ranges.push({ a, aEnd: i, b, bEnd: j });
    a = i + 1;
    b = j + 1;
  }
  if (a < range.aEnd && b < range.bEnd) ranges.push({ ...range, a, b });
  return ranges;
}

/** More edits than this are not searched for: the search takes their square. */
const MAX_EDITS = 500;

/** Myers' greedy search; beyond the bound nothing is matched. */
function fewestEdits(a: Int32Array, b: Int32Array, range: Range, matches: Int32Array): void {
  const width = range.aEnd - range.a;
  const height = range.bEnd - range.b;
  const bound = Math.min(MAX_EDITS, width + height);
  /** How far along `a` each diagonal has been reached, before each step. */
  const trace: Int32Array[] = [];
  const reached = new Int32Array(2 * bound + 2);
  for (let edits = 0; edits <= bound; edits++) {
    trace.push(reached.slice(bound - edits, bound + edits + 2));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const at = bound + diagonal;
      const down =
        diagonal === -edits ||
        (diagonal !== edits && (reached[at - 1] as number) < (reached[at + 1] as number));
      let x = down ? (reached[at + 1] as number) : (reached[at - 1] as number) + 1;
      let y = x - diagonal;
      while (x < width && y < height && a[range.a + x] === b[range.b + y]) {
        x++;
        y++;
      }
      reached[at] = x;
      if (x >= width && y >= height) {
        backtrack(trace, range, matches);
        return;
      }
    }
  }
}

function backtrack(trace: readonly Int32Array[], range: Range, matches: Int32Array): void {
  let x = range.aEnd - range.a;
  let y = range.bEnd - range.b;
  for (let edits = trace.length - 1; edits >= 0 && (x > 0 || y > 0); edits--) {
    // The slice starts at the diagonal -edits.
    const before = trace[edits] as Int32Array;
    const at = x - y + edits;
    const down =
      x - y === -edits ||
      (x - y !== edits && (before[at - 1] as number) < (before[at + 1] as number));
    const fromX = edits === 0 ? 0 : down ? (before[at + 1] as number) : (before[at - 1] as number);
    const fromY = edits === 0 ? 0 : fromX - (x - y + (down ? 1 : -1));
    const [snakeX, snakeY] = edits === 0 ? [0, 0] : down ? [fromX, fromY + 1] : [fromX + 1, fromY];
    while (x > snakeX && y > snakeY) matches[range.a + --x] = range.b + --y;
    x = fromX;
    y = fromY;
  }
}
