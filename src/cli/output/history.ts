import { type KeyChanges, shortKeyChanges } from './row-change.ts';
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

export function historyTable(entries: readonly HistoryEntry[]): Table {
  return {
    columns: ['id', 'time', 'row', 'command', 'bytes', 'changes', 'outcome'],
    numeric: [0, 4],
    rows: entries.map(historyRow),
  };
}

function historyRow({
  id,
  time,
  row,
  command,
  outcome,
  bytes,
  changes,
}: HistoryEntry): Table['rows'][number] {
  const short = changes === null ? '' : shortKeyChanges(changes);
  return [id, `${time.slice(0, 19)}Z`, row, command, bytes, short, outcome];
}
