import { parseInstant } from '../../contract/index.ts';
import { durationSeconds } from '../arguments/duration.ts';
import { UsageError } from '../../errors.ts';

/** Reads a date, or a duration before `now`; returns ms since the epoch, like `now`. */
export function readSince(text: string, now: number): number {
  const ago = durationSeconds(text);
  if (ago !== undefined) return now - ago * 1000;
  const moment = parseInstant(text.trim());
  if (!Number.isNaN(moment)) return moment;
  throw new UsageError(
    `--since ${JSON.stringify(text)} is not a valid time`,
    'use 2026-10-13, 2026-10-13T08:00Z, or a duration: 90min, 12h, 7d',
  );
}
