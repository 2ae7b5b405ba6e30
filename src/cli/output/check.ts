import type { Check, CheckVerdict } from '../json-forms/launch.ts';
import { bytesCell, stateCell } from './cells.ts';
import { listTable, type Table } from './table.ts';
import { countText } from './units.ts';

const MEANINGS: Readonly<Partial<Record<CheckVerdict, string>>> = {
  ended: 'the token is not accepted: get a new launch',
  forbidden: "the token's user is not allowed to read it",
  unprovisioned: 'this course is a copy that the tool has not set up yet',
  missing: 'no such row, or it belongs to another tool',
};

/** The results, one URL per table row. */
export function checkTable(checks: readonly Check[]): Table {
  return listTable(checks, [
    { name: 'claim', whole: true, cell: ({ claim }) => claim },
    { name: 'status', numeric: true, drop: 2, cell: ({ status }) => status },
    { name: 'bytes', numeric: true, cell: ({ bytes }) => bytesCell(bytes) },
    { name: 'state', whole: true, cell: ({ state }) => stateCell(state) },
    { name: 'ms', numeric: true, drop: 1, cell: ({ ms }) => ms },
    { name: 'meaning', cell: ({ verdict, message }) => MEANINGS[verdict] ?? message },
  ]);
}

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six'];

/** Which rows have data, as a sentence; undefined if a row could not be read, or there are none. */
export function storedText(checks: readonly Check[]): string | undefined {
  const of = (noun: string): Check[] =>
    checks.filter(({ claim, url }) => claim.startsWith(noun) && url !== null);
  const rows = of('storage.');
  if (rows.length === 0 || !rows.every(({ bytes }) => bytes !== null)) return undefined;
  const full = rows.filter(({ state }) => state === 'has data');
  if (full.length > 0) {
    const names = full.map(({ claim }) => claim.slice('storage.'.length)).join(', ');
    return `${full.length} of ${countText(rows.length, 'row')} ${full.length === 1 ? 'has' : 'have'} data: ${names}`;
  }
  const all = rows.length === 1 ? 'the row is' : `all ${NUMBERS[rows.length]} rows are`;
  const files = of('files.').some(({ state }) => state === 'has data');
  return `${all} empty: the tool has stored ${files ? 'files only' : 'nothing here'}`;
}

/** The failures on one line: `ended: storage.member, files.member`. */
export function checkFailureText(checks: readonly Check[]): string {
  const failed = checks.filter(({ exit }) => exit !== 0);
  const verdicts = [...new Set(failed.map(({ verdict }) => verdict))];
  const words = verdicts.map((verdict) => {
    const alike = failed.filter((each) => each.verdict === verdict);
    const why = verdict in MEANINGS ? '' : ` (${alike[0]?.message})`;
    return `${verdict}: ${alike.map(({ claim }) => claim).join(', ')}${why}`;
  });
  return words.join('; ');
}
