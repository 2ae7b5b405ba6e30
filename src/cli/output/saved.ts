import { column } from './resource.ts';
import type { Cell } from './table.ts';
import { spanText } from './units.ts';

/** How long ago a time was (ISO 8601); `now` in ms since the epoch. */
export function ago(iso: string | null, now: number): Cell {
  if (iso === null) return 'never';
  return { exact: iso, short: `${spanText(now - Date.parse(iso))} ago` };
}

export const CURRENT = column((s) => s.described(s.bool, 'whether it is in use'), {
  whole: true,
  cell: (current) => (current ? '*' : ''),
});

export const SAVED_AT = column((s) => s.instant, { drop: 1, cell: ago });

/** The saved keys, without the keys themselves. */
export const SAVED_KEYS = {
  name: column((s) => s.text, { whole: true }),
  current: CURRENT,
  origin: column((s) => s.text, { whole: true }),
  saved: SAVED_AT,
};

/** The saved addresses of shared ledgers, without their passwords. */
export const SAVED_LEDGERS = {
  name: column((s) => s.text, { whole: true }),
  current: CURRENT,
  url: column((s) => s.text, { whole: true }),
  saved: SAVED_AT,
};
