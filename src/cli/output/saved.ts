import type { ListColumns } from './columns.ts';
import type { Cell } from './table.ts';
import { spanText } from './units.ts';

/** How long ago a time was (ISO 8601); `now` in ms since the epoch. */
export function ago(iso: string | null, now: number): Cell {
  if (iso === null) return 'never';
  return { exact: iso, short: `${spanText(now - Date.parse(iso))} ago` };
}

export const CURRENT = {
  type: 'flag',
  describes: 'whether it is in use',
  whole: true,
  cell: (current: boolean) => (current ? '*' : ''),
} as const;

export const SAVED_AT = { type: 'instant', drop: 1, cell: ago } as const;

/** The saved keys, without the keys themselves. */
export const SAVED_KEYS = {
  name: { type: 'id' },
  current: CURRENT,
  origin: { type: 'id' },
  saved: SAVED_AT,
} as const satisfies ListColumns;

/** The saved addresses of shared ledgers, without their passwords. */
export const SAVED_LEDGERS = {
  name: { type: 'id' },
  current: CURRENT,
  url: { type: 'id' },
  saved: SAVED_AT,
} as const satisfies ListColumns;
