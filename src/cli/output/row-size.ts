import type { RowSize } from '../json-forms/storage.ts';
import { type ListColumn, listTable, type Table } from './table.ts';

const BAR_LENGTH = 10;

/**
 * The whole row compared with its limit, then each key compared with the row; with bars on a
 * terminal.
 */
export function sizeTable({ row, bytes, limit, keys }: RowSize, hasBars: boolean): Table {
  const whole = { pointer: `(${row})`, bytes, share: bytes / (limit ?? bytes) };
  const parts = keys.map((each) => ({ ...each, share: each.bytes / bytes }));
  const bar: ListColumn<typeof whole> = {
    name: '',
    drop: 1,
    cell: ({ share }) => '#'.repeat(Math.round(Math.min(share, 1) * BAR_LENGTH)),
  };
  return listTable(
    [whole, ...parts],
    [
      { name: 'pointer', cell: ({ pointer }) => pointer },
      { name: 'bytes', numeric: true, cell: (part) => part.bytes },
      { name: 'percent', numeric: true, cell: ({ share }) => (share * 100).toFixed(1) },
      ...(hasBars ? [bar] : []),
    ],
  );
}
