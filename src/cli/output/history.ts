import type { HistoryEntry } from '../json-forms/storage.ts';
import { shortKeyChanges } from './row-change.ts';
import { bytesCell, stateCell, timeCell } from './cells.ts';
import { listTable, type Table } from './table.ts';

/** The before-images, a line each; `now` in ms since the epoch. */
export function historyTable(entries: readonly HistoryEntry[], now: number): Table {
  return listTable(entries, [
    { name: 'id', numeric: true, whole: true, cell: ({ id }) => id },
    { name: 'time', cell: ({ time }) => timeCell(Date.parse(time), now) },
    { name: 'row', whole: true, cell: ({ row }) => row },
    { name: 'command', cell: ({ command }) => command },
    { name: 'bytes', numeric: true, drop: 1, cell: ({ bytes }) => bytesCell(bytes) },
    {
      name: 'changes',
      cell: ({ changes }) => (changes === null ? '' : shortKeyChanges(changes)),
    },
    {
      name: 'outcome',
      drop: 2,
      cell: ({ outcome }) => (outcome === null ? null : stateCell(outcome)),
    },
  ]);
}
