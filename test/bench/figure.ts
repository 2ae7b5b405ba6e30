import { loadavg } from 'node:os';

/** One line of the bench: two things that are measured side by side, again and again. */
export interface Line {
  readonly name: string;
  readonly goal: Goal;
  readonly pairs: number;
  /** Measures both, one right after the other. */
  readonly pair: () => Promise<Pair>;
}

/** What the ratio should reach. */
export type Goal = { readonly atMost: number } | { readonly atLeast: number };

/** What is measured, and what it is measured against. */
export type Pair = readonly [number, number];

/** What came of a line. */
export interface Figure extends Pick<Line, 'name' | 'goal'> {
  /** Of each pair, the smallest first. */
  readonly ratios: readonly number[];
  /** Processes that wanted a processor meanwhile, the measured ones among them. */
  readonly load: number;
  /** Why it has fewer pairs than it should, or none. */
  readonly fault?: string;
}

/** So much of a line is measured; the pairs that are missing then are left out. */
const LONGEST_MS = 60_000;

/** Measures a line, after one pair that is not counted. A failure or a standstill ends it, and is reported. */
export async function measure({ name, goal, pairs, pair }: Line): Promise<Figure> {
  const ratios: number[] = [];
  const started = performance.now();
  let fault: string | undefined;
  try {
    for (let round = 0; round <= pairs; round += 1) {
      const [measured, base] = await pair();
      if (round > 0) ratios.push(measured / base);
      if (ratios.length > 0 && performance.now() - started > LONGEST_MS) break;
    }
  } catch (error) {
    fault = error instanceof Error ? error.message : String(error);
  }
  ratios.sort((a, b) => a - b);
  return { name, goal, ratios, load: loadavg()[0] as number, ...(fault ? { fault } : {}) };
}

/** At a share of the sorted ratios: 0.5 is the median. */
function quantile({ ratios }: Pick<Figure, 'ratios'>, share: number): number {
  const place = (ratios.length - 1) * share;
  const below = ratios[Math.floor(place)] ?? Number.NaN;
  return below + ((ratios[Math.ceil(place)] ?? below) - below) * (place % 1);
}

/** A figure in cells: name, ratio, spread (the middle half of the pairs), goal, pairs, load. */
export function figureCells(figure: Figure): string[] {
  const { name, goal, ratios, load, fault } = figure;
  const ratio = quantile(figure, 0.5);
  const isMet = 'atMost' in goal ? ratio <= goal.atMost : ratio >= goal.atLeast;
  const wanted = 'atMost' in goal ? `<= ${goal.atMost}` : `>= ${goal.atLeast}`;
  if (ratios.length === 0) return [name, fault ?? 'not measured', '', wanted, '0', load.toFixed(1)];
  const spread = [0.25, 0.75].map((share) => quantile(figure, share).toFixed(2)).join('–');
  const met = isMet ? 'met' : 'missed';
  const last = fault === undefined ? '' : `, then: ${fault}`;
  const counted = `${ratios.length}${last}`;
  return [name, ratio.toFixed(2), spread, `${wanted} ${met}`, counted, load.toFixed(1)];
}
