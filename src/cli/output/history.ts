import type { HistoryEntry } from '../json-forms/storage.ts';
import { shortKeyChanges } from './row-change.ts';
import { bytesCell, stateCell, timeCell } from './cells.ts';
import type { Table } from './table.ts';

/** The before-images, a line each; `now` in ms since the epoch. */
export function historyTable(entries: readonly HistoryEntry[], now: number): Table {
  return {
    columns: [
      { name: 'id', numeric: true, whole: true },
      'time',
      { name: 'row', whole: true },
      'command',
      { name: 'bytes', numeric: true, drop: 1 },
      'changes',
      { name: 'outcome', drop: 2 },
    ],
    rows: entries.map((entry) => historyRow(entry, now)),
  };
}

function historyRow(entry: HistoryEntry, now: number): Table['rows'][number] {
  const { id, time, row, command, outcome, bytes, changes } = entry;
  const short = changes === null ? '' : shortKeyChanges(changes);
  const ended = outcome === null ? null : stateCell(outcome);
  return [id, timeCell(Date.parse(time), now), row, command, bytesCell(bytes), short, ended];
}
