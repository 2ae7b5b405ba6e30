import { InvalidArgumentError } from 'commander';
import { parseInstant } from '../../contract/instant.ts';
import type { Parameter, Range, TakenValue } from '../../control-api/parameters.ts';
import type { FlagSpec } from './flags.ts';
import { durationSeconds, number, wholeNumber } from './numbers.ts';

/** Reads a duration as seconds. */
function readDuration(text: string): number {
  const value = durationSeconds(text);
  if (value !== undefined) return value;
  throw new InvalidArgumentError('expected a duration such as 90s, 15m, 12h, 3d or 1h30m.');
}

const INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** Reads an ISO 8601 time, in UTC unless it has a time zone. */
function readInstant(text: string): string {
  const parts = INSTANT.exec(text);
  const zoned = parts?.[1] === undefined || parts[4] !== undefined ? text : `${text}Z`;
  const time = parts === null ? Number.NaN : parseInstant(zoned);
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new InvalidArgumentError(
    'expected an ISO 8601 time of a day that exists, such as 2026-10-13T08:00:00Z.',
  );
}

type Reader = (text: string) => unknown;

const READERS: Readonly<Record<Parameter['type'], ((range: Range) => Reader) | undefined>> = {
  integer: wholeNumber,
  number,
  duration: () => readDuration,
  instant: () => readInstant,
  text: undefined,
  texts: undefined,
  switch: undefined,
};

/** How the value of an argument or a flag is read. */
export function specOf(parameter: Parameter) {
  const { type, help, choices, required, default: standard } = parameter;
  const parse = READERS[type]?.(parameter);
  return {
    help,
    ...(parse && { parse }),
    ...(choices && { choices }),
    ...(required && { required }),
    ...(standard !== undefined && { default: standard }),
  } satisfies FlagSpec;
}

type Named = Readonly<Record<string, Parameter>>;

type SpecOf<Given> = FlagSpec & { readonly parse: (text: string) => TakenValue<Given> } & Pick<
    Given,
    Extract<keyof Given, 'default' | 'required'>
  >;

type FlagsOf<Takes extends Named> = {
  readonly [Name in keyof Takes as Takes[Name]['as']]: SpecOf<Takes[Name]>;
};

/** The flags of a verb that takes these parameters. */
export function flagsOf<const Takes extends Named>(takes: Takes): FlagsOf<Takes> {
  const entries = Object.values(takes).map((each) => [each.as, specOf(each)]);
  return Object.fromEntries(entries) as unknown as FlagsOf<Takes>;
}
