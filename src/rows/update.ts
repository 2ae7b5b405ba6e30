import { diffRows, operationsText } from '../diff/index.ts';
import { InvalidError } from '../errors.ts';
import { isError } from '../validator/finding.ts';
import { parseJson } from '../json/index.ts';
import { simulatePatch } from '../validator/patch.ts';
import type { RowKind } from '../contract/index.ts';
import { readRow, type Row } from './row.ts';
import { type WritableRow, type WriteOptions, type WriteResult, writeRow } from './write.ts';

export interface UpdateOptions extends WriteOptions {
  /** Whose limits hold; undefined checks what holds for every row. */
  readonly kind?: RowKind | undefined;
  /** As the history calls the write. */
  readonly command?: string;
}

export interface UpdateResult {
  readonly outcome: WriteResult['outcome'] | 'unchanged';
  readonly image: number | undefined;
}

/**
 * Reads a row, changes it, and sends the smallest patch. `change` is given the row as a plain value
 * and returns the new one; what it leaves alone keeps its digits, whatever a JavaScript number can
 * hold. Concurrent writes to other keys stand ("PATCH rules", 3). Ends as `writeRow` does; throws
 * `InvalidError`, with nothing sent, where the new row would be refused.
 *
 * @example
 * await updateRow(row, (value) => ({ ...value, attempts: 3 }), { ledger });
 */
export async function updateRow(
  row: WritableRow,
  change: (value: Record<string, unknown>) => object,
  { kind, command = 'library', ...options }: UpdateOptions = {},
): Promise<UpdateResult> {
  const before = await readRow(row);
  const value = JSON.parse(before.text) as Record<string, unknown>;
  const wanted = change(structuredClone(value));
  const { operations } = diffRows(plainRow(value), plainRow(wanted));
  if (operations.length === 0) return { outcome: 'unchanged', image: undefined };
  const body = `{"patch":${operationsText(operations)}}`;
  const tried = simulatePatch(body, { kind, against: before });
  if (tried.findings.some(isError)) {
    throw new InvalidError(`the change cannot be made to the ${row.label} row`, {
      findings: tried.findings,
    });
  }
  return writeRow(row, { command, method: 'PATCH', body, before, after: tried.row }, options);
}

/**
 * Both sides are compared as JavaScript reads them, so that a number which it cannot hold is no
 * change; the patch is then applied to the exact row.
 */
function plainRow(value: object): Row {
  return parseJson(JSON.stringify(value)) as Row;
}
