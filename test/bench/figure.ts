/** One line of the bench: a ratio of two things that were measured side by side in one run. */
export interface Figure {
  readonly name: string;
  readonly ratio: number;
  /** What the ratio should reach: at most, or at least. */
  readonly goal: { readonly atMost: number } | { readonly atLeast: number };
  /** How many pairs the median is of. */
  readonly pairs: number;
}

/** The median of pairwise ratios: each pair is measured back to back, so that drift cancels out. */
export function medianRatio(pairs: readonly (readonly [number, number])[]): number {
  const ratios = pairs.map(([measured, base]) => measured / base).sort((a, b) => a - b);
  const middle = ratios.length >> 1;
  const upper = ratios[middle] ?? Number.NaN;
  return ratios.length % 2 === 1 ? upper : ((ratios[middle - 1] ?? upper) + upper) / 2;
}

/** A figure as one line of text. */
export function figureLine({ name, ratio, goal, pairs }: Figure): string {
  const met = 'atMost' in goal ? ratio <= goal.atMost : ratio >= goal.atLeast;
  const sign = 'atMost' in goal ? `<= ${goal.atMost}` : `>= ${goal.atLeast}`;
  return `${name.padEnd(62)} ${ratio.toFixed(2).padStart(6)}   goal ${sign.padEnd(8)} ${met ? 'met' : 'MISSED'}   (${pairs} pairs)`;
}
