import type { RowSize } from '../output/storage-forms.ts';
import { ROW_SIZE } from '../../contract/index.ts';
import { compactJson, compactSize, escapeToken } from '../../json/index.ts';
import type { Context } from '../runtime.ts';
import { type RowTarget, rowTarget } from '../session/resolve-call.ts';
import type { Prints } from '../output/all-forms.ts';
import { type Row, readRow } from '../../rows/row.ts';
import { type ListColumns, tableOf } from '../output/columns.ts';
import type { Table } from '../output/table.ts';

export async function runSize(context: Context, row: string | undefined): Prints<'storage size'> {
  const target = await rowTarget(context, 'storage', row);
  const json = sizeOf(target, await readRow(target));
  return { json, show: { table: sizeTable(json, false), terminal: sizeTable(json, true) } };
}

function sizeOf({ label, kind }: RowTarget, { text, value }: Row): RowSize {
  const bytes = compactSize(text);
  const keys = [...value].map(([key, member]) => ({
    key,
    pointer: `/${escapeToken(key)}`,
    bytes: Buffer.byteLength(`${JSON.stringify(key)}:${compactJson(member)}`),
  }));
  return {
    row: label,
    kind: kind ?? null,
    bytes,
    limit: kind === undefined ? null : ROW_SIZE[kind].bytes,
    keys: keys.sort((a, b) => b.bytes - a.bytes),
  };
}

/** A value and its compact bytes; `share` from 0 to 1. */
interface Part {
  readonly share: number;
}

const BAR_LENGTH = 10;

export const SHARES = {
  pointer: {},
  bytes: { numeric: true },
  percent: { numeric: true, made: ({ share }: Part) => (share * 100).toFixed(1) },
} satisfies ListColumns;

const BAR = {
  '': {
    drop: 1,
    made: ({ share }: Part) => '#'.repeat(Math.round(Math.min(share, 1) * BAR_LENGTH)),
  },
} satisfies ListColumns;

/**
 * The whole row compared with its limit, then each key compared with the row; with bars on a
 * terminal.
 */
function sizeTable({ row, bytes, limit, keys }: RowSize, hasBars: boolean): Table {
  const whole = { pointer: `(${row})`, bytes, share: bytes / (limit ?? bytes) };
  const parts = keys.map((each) => ({ ...each, share: each.bytes / bytes }));
  return tableOf({ ...SHARES, ...(hasBars && BAR) }, [whole, ...parts]);
}
