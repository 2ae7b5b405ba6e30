import { type KeyChanges, shortKeyChanges } from './row-change.ts';
import { bytesCell, stateCell, timeCell } from './cells.ts';
import type { Table } from './table.ts';

/** A before-image as it is listed. */
export interface HistoryEntry {
  readonly id: number;
  /** ISO 8601. */
  readonly time: string;
  readonly row: string;
  /** What was done to the row. */
  readonly command: string;
  /** What became of that; null where an older lectern kept the image. */
  readonly outcome: 'written' | 'refused' | 'not_done' | 'in_doubt' | null;
  /** Of the row as it was. */
  readonly bytes: number;
  /** null where it was not known what the row would be. */
  readonly changes: KeyChanges | null;
  /** With a digest in the place of its query. */
  readonly url: string;
}

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
