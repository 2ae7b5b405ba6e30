import { InvalidArgumentError } from 'commander';
import { type OptionsOf, defineFlags } from './flags.ts';
import { parseInstant } from '../../contract/instant.ts';
import { UsageError } from '../../errors.ts';

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

/** The length of a list. */
export const LIMIT_FLAG = defineFlags({
  '--limit <n>': {
    help: 'list at most this many (default on a terminal: 30)',
    parse: wholeNumber({ from: 1 }),
  },
});
export type LimitOptions = OptionsOf<typeof LIMIT_FLAG>;

const SECONDS: readonly (readonly [unit: string, seconds: number])[] = [
  ['d', 86_400],
  ['h', 3600],
  ['m(?:in)?', 60],
  ['s', 1],
];

const DURATION = new RegExp(
  `^${SECONDS.map(([unit]) => String.raw`(?:(\d+(?:\.\d+)?) ?${unit})?`).join('')}$`,
);

/** Reads a duration such as `90s`, `15m`, `15min` or `1h30m`, in seconds; undefined for anything else. */
export function durationSeconds(text: string): number | undefined {
  const match = DURATION.exec(text.trim());
  if (match === null || match[0] === '') return undefined;
  return SECONDS.reduce(
    (sum, [, seconds], index) => sum + Number(match[index + 1] ?? 0) * seconds,
    0,
  );
}

/** How help explains `--contract DATE`. */
export const CONTRACT_HELP = 'check against the contract of this date (YYYY-MM-DD)';

/** Reads the value of `--contract`. */
export function contractDate(date: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(date) && !Number.isNaN(parseInstant(date))) return date;
  throw new UsageError(
    `--contract ${JSON.stringify(date)} is not a valid date`,
    'use YYYY-MM-DD; lectern explain changes lists the dated contracts',
  );
}
