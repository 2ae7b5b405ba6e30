import type { RowSize } from '../json-forms/storage.ts';
import type { Table } from './table.ts';

const BAR_LENGTH = 10;

/** The whole row against its limit, then each key against the whole; bars on a terminal. */
export function sizeTable({ row, bytes, limit, keys }: RowSize, hasBars: boolean): Table {
  const total = [`(${row})`, bytes, ...shares(bytes, limit ?? bytes, hasBars)];
  return {
    columns: [
      'pointer',
      { name: 'bytes', numeric: true },
      { name: 'percent', numeric: true },
      ...(hasBars ? [{ name: '', drop: 1 }] : []),
    ],
    rows: [
      total,
      ...keys.map((each) => [each.pointer, each.bytes, ...shares(each.bytes, bytes, hasBars)]),
    ],
  };
}

function shares(part: number, whole: number, hasBars: boolean): string[] {
  const share = part / whole;
  const percent = (share * 100).toFixed(1);
  return hasBars ? [percent, '#'.repeat(Math.round(Math.min(share, 1) * BAR_LENGTH))] : [percent];
}
