import { CLOSE_BRACE, CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET } from '../json/characters.ts';
import { align } from './align.ts';
import { pairUp } from './pairs.ts';
import { afterName, skipSpace, type Span, stringEnd, valueEnd } from '../json/spans.ts';

/** What becomes of an element that does not stay as it is: it changes, goes, or is new. */
export interface Line {
  readonly old: Span | undefined;
  readonly now: Span | undefined;
  /** Its index once everything before it has been carried out. */
  readonly place: number;
}

/** Two arrays by their texts and the places of their elements. */
export interface Sides {
  readonly before: string;
  readonly old: readonly Span[];
  readonly after: string;
  readonly now: readonly Span[];
}

/** A stretch of either array; its ends are not part of it. */
export interface Stretch {
  readonly a: number;
  readonly aEnd: number;
  readonly b: number;
  readonly bEnd: number;
}

/** Lines up the elements of two arrays, so that those that only moved along are left alone. */
export function lineUp(sides: Sides): Line[] {
  const lines: Line[] = [];
  lineUpBy(wholeText, sides, withoutEnd(sides), lines);
  return lines;
}

/** Leaves out what reads the same at the end. */
function withoutEnd({ before, old, after, now }: Sides): Stretch {
  let [aEnd, bEnd] = [old.length, now.length];
  while (aEnd > 0 && bEnd > 0) {
    const [last, lastNow] = [old[aEnd - 1] as Span, now[bEnd - 1] as Span];
    if (wholeText(before, last) !== wholeText(after, lastNow)) break;
    aEnd--;
    bEnd--;
  }
  return { a: 0, aEnd, b: 0, bEnd };
}

/** What elements must have in common to be lined up. */
type Key = (text: string, span: Span) => string;

const wholeText: Key = (text, { start, end }) => text.slice(start, end);

/** Of a container its first member, which mostly tells it from the others; '' where there is none. */
const firstPart: Key = (text, { start }) => {
  const code = text.charCodeAt(start);
  if (code !== OPEN_BRACE && code !== OPEN_BRACKET) return '';
  const first = skipSpace(text, start + 1);
  const close = text.charCodeAt(first);
  if (close === CLOSE_BRACE || close === CLOSE_BRACKET) return '';
  const value = code === OPEN_BRACE ? afterName(text, stringEnd(text, first)) : first;
  return text.slice(first, valueEnd(text, value));
};

function lineUpBy(key: Key, sides: Sides, stretch: Stretch, lines: Line[]): void {
  let { a, b } = stretch;
  const between = (aEnd: number, bEnd: number): void => {
    if (a === aEnd && b === bEnd) return;
    const gap = { a, aEnd, b, bEnd };
    if (key === wholeText && isLarge(gap)) lineUpBy(firstPart, sides, gap, lines);
    else pairUp(sides, gap, lines);
  };
  const matches = matchesOf(key, sides, stretch);
  for (let offset = 0; offset < matches.length; offset++) {
    if (matches[offset] === -1) continue;
    const i = stretch.a + offset;
    const j = stretch.b + (matches[offset] as number);
    between(i, j);
    if (key !== wholeText) lines.push({ old: sides.old[i], now: sides.now[j], place: j });
    a = i + 1;
    b = j + 1;
  }
  between(stretch.aEnd, stretch.bEnd);
}

/** Too large to compare each with each. */
function isLarge({ a, aEnd, b, bEnd }: Stretch): boolean {
  return (aEnd - a) * (bEnd - b) > 400;
}

function matchesOf(key: Key, { before, old, after, now }: Sides, stretch: Stretch): Int32Array {
  const { a, aEnd, b, bEnd } = stretch;
  if (a === aEnd || b === bEnd) return new Int32Array(aEnd - a).fill(-1);
  const kinds = new Map<string, number>();
  const kindsOf = (text: string, spans: readonly Span[], from: number, to: number): Int32Array => {
    const found = new Int32Array(to - from);
    for (let index = from; index < to; index++) {
      const name = key(text, spans[index] as Span);
      let kind = kinds.get(name);
      if (kind === undefined) kinds.set(name, (kind = kinds.size));
      found[index - from] = kind;
    }
    return found;
  };
  const [left, right] = [kindsOf(before, old, a, aEnd), kindsOf(after, now, b, bEnd)];
  return align(left, right, kinds.size);
}
