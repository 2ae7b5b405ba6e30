export { bytesText, countText, numberText } from '../../contract/words.ts';

/** A time (ms since the epoch) as ISO 8601 in UTC, to the millisecond; '' if invalid. */
export function exactTime(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

/** A time (ms since the epoch) as ISO 8601 in UTC, to the second; '' if invalid. */
export function timeText(ms: number): string {
  return exactTime(ms).replace(/\.\d+/, '');
}

/** A duration: `45 s`, `12 min`, `3 h`, `9 d`. */
export function spanText(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000);
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 36 * 3600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}

const DAY_MS = 86_400_000;

/**
 * A time (ms since the epoch) in short form relative to `now`, in the time zone of the machine:
 * `14:02`, `yesterday 14:02`, `Nov 12 14:02`, `2025-11-12`; '' if invalid.
 */
export function shortTime(ms: number, now: number): string {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) return '';
  const [day, today] = [startOfDay(date), startOfDay(new Date(now))];
  const clock = `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
  // A day may have 23 or 25 hours.
  const daysAgo = Math.round((today - day) / DAY_MS);
  if (daysAgo === 0) return clock;
  if (daysAgo === 1) return `yesterday ${clock}`;
  if (daysAgo === -1) return `tomorrow ${clock}`;
  const month = twoDigits(date.getMonth() + 1);
  if (date.getFullYear() !== new Date(now).getFullYear()) {
    return `${date.getFullYear()}-${month}-${twoDigits(date.getDate())}`;
  }
  return `${MONTHS[date.getMonth()]} ${date.getDate()} ${clock}`;
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** The time of day, to the second, in the time zone of the machine. */
export function clockTime(ms: number): string {
  const date = new Date(ms);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
}

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
