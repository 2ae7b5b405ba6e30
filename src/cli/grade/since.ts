import { durationSeconds } from '../arguments/duration.ts';
import { UsageError } from '../errors.ts';

/** Reads a moment, as a date or as how long before `now`; in ms since the epoch, like `now`. */
export function readSince(text: string, now: number): number {
  const ago = durationSeconds(text);
  if (ago !== undefined) return now - ago * 1000;
  const moment = /^\d{4}-\d\d-\d\d/.test(text.trim()) ? Date.parse(text.trim()) : Number.NaN;
  if (!Number.isNaN(moment)) return moment;
  throw new UsageError(
    `--since ${JSON.stringify(text)} is no moment`,
    'write 2026-10-13, 2026-10-13T08:00Z, or how long ago: 90min, 12h, 7d',
  );
}
