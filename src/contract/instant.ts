const STARTS_WITH_DATE = /^\d{4}-\d\d-\d\d/;

/**
 * An ISO 8601 date, or date and time, in milliseconds since the epoch; NaN if invalid. A day that
 * does not exist is invalid, while `Date.parse` takes 2026-02-30 for 2 March.
 */
export function parseInstant(text: string): number {
  const [date] = STARTS_WITH_DATE.exec(text) ?? [];
  const midnight = date === undefined ? Number.NaN : Date.parse(date);
  const isDay = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(`${date}`);
  return isDay ? Date.parse(text) : Number.NaN;
}
