import { InvalidArgumentError } from 'commander';
import { parseInstant } from '../../contract/instant.ts';
import { durationSeconds } from './duration.ts';

/** Reads a duration as seconds. */
export function durationArgument(text: string): number {
  const value = durationSeconds(text);
  if (value !== undefined) return value;
  throw new InvalidArgumentError('expected a duration such as 90s, 15m, 12h, 3d or 1h30m.');
}

const INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** Reads an ISO 8601 time, in UTC unless it has a time zone. */
export function instantArgument(text: string): string {
  const parts = INSTANT.exec(text);
  const zoned = parts?.[1] === undefined || parts[4] !== undefined ? text : `${text}Z`;
  const time = parts === null ? Number.NaN : parseInstant(zoned);
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new InvalidArgumentError(
    'expected an ISO 8601 time of a day that exists, such as 2026-10-13T08:00:00Z.',
  );
}
