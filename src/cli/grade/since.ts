import { UsageError } from '../errors.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Reads a moment, as a date or as how long before `now`; in ms since the epoch, like `now`. */
export function readSince(text: string, now: number): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?) ?(s|min|h|d)$/.exec(text.trim()) ?? [];
  if (number !== undefined) return now - Number(number) * (UNIT_MS[unit] as number);
  const moment = /^\d{4}-\d\d-\d\d/.test(text.trim()) ? Date.parse(text.trim()) : Number.NaN;
  if (!Number.isNaN(moment)) return moment;
  throw new UsageError(
    `--since ${JSON.stringify(text)} is no moment`,
    'write 2026-10-13, 2026-10-13T08:00Z, or how long ago: 90min, 12h, 7d',
  );
}
