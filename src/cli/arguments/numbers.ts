import { InvalidArgumentError } from 'commander';

/** The allowed range; `above` is exclusive. */
interface Bounds {
  readonly from?: number;
  readonly above?: number;
  readonly to?: number;
}

/** An argument parser of commander's; `type` is that of JSON Schema. */
export type Reader = ((text: string) => number) & { readonly type: 'integer' | 'number' };

/** Reads a whole number; without `to`, up to the largest exact one. */
export function wholeNumber(bounds: Bounds): Reader {
  return reader('integer', 'a whole number', /^\d+$/, Number.MAX_SAFE_INTEGER, bounds);
}

/** Reads a number, such as `0.5`. */
export function number(bounds: Bounds): Reader {
  return reader(
    'number',
    'a number',
    /^(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i,
    Number.MAX_VALUE,
    bounds,
  );
}

function reader(
  type: Reader['type'],
  what: string,
  form: RegExp,
  largest: number,
  bounds: Bounds,
): Reader {
  const { from = 0, above = -1, to = largest } = bounds;
  const read = (text: string): number => {
    const value = Number(text);
    if (form.test(text.trim()) && value >= from && value > above && value <= to) return value;
    throw new InvalidArgumentError(`expected ${what} ${boundsText(bounds)}.`);
  };
  return Object.assign(read, { type });
}

function boundsText({ from = 0, above, to }: Bounds): string {
  if (above !== undefined) {
    return `greater than ${above}${to === undefined ? '' : ` and at most ${to}`}`;
  }
  return to === undefined ? `of ${from} or more` : `from ${from} to ${to}`;
}
