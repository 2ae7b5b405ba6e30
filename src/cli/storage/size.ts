import type { RowSize } from '../json-forms/storage.ts';
import { rowLimit } from '../../contract/index.ts';
import { compactJson, compactSize, escapeToken } from '../../json/index.ts';
import { sizeTable } from '../output/row-size.ts';
import type { Context } from '../runtime.ts';
import { rowTarget, type RowTarget } from '../session/row.ts';
import { printJson, printTable } from '../ui.ts';
import { readRow, type Row } from '../../rows/row.ts';

export async function runSize(context: Context, row: string | undefined): Promise<void> {
  const target = await rowTarget(context, 'storage', row);
  const size = sizeOf(target, await readRow(target));
  if (context.options.json) await printJson<'storage size'>(context, size);
  else await printTable(context, sizeTable(size, context.stdout.isTerminal));
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
    limit: kind === undefined ? null : rowLimit(kind).bytes,
    keys: keys.sort((a, b) => b.bytes - a.bytes),
  };
}
