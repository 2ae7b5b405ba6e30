import { decodeUtf8 } from '../../contract/index.ts';
import { validateRow } from '../../validator/row.ts';
import type { Runtime } from '../runtime.ts';
import type { RowTarget } from '../target.ts';
import { confirm, printDryRun } from '../ui.ts';
import { noteWarnings, refuseCertain } from '../findings.ts';
import type { WriteOptions } from './images.ts';
import { readRow, type Row, rowOf } from './row.ts';
import { showChange } from './show-change.ts';
import { sendWrite } from './write.ts';

/** Bytes that are to become the whole row, and how messages call where they come from. */
export interface Replacement {
  readonly command: string;
  readonly source: string;
  readonly bytes: Uint8Array;
  /** The row as it is, where it has just been read. */
  readonly before?: Row;
}

/**
 * Replaces a row wholesale, with care: what the service would refuse is refused here, what would be
 * lost is shown, and somebody agrees to it. Used by `put`, `copy` and `undo`.
 */
export async function replaceRow(
  runtime: Runtime,
  options: WriteOptions,
  target: RowTarget,
  { command, source, bytes, before: known }: Replacement,
): Promise<void> {
  const findings = validateRow(bytes, { kind: target.kind });
  refuseCertain(findings, `${source} cannot be the ${target.label} row`);
  await noteWarnings(runtime, options, findings);
  const before = known ?? (await readRow(target));
  const after = rowOf(decodeUtf8(bytes));
  await showChange(runtime, options, target, before, after);
  if (options.dryRun) {
    const { url } = target;
    await printDryRun(runtime, options, { method: 'PUT', url, body: after.text, findings });
    return;
  }
  await confirm(runtime, options, `Replace the whole ${target.label} row?`);
  const body = after.text;
  await sendWrite(runtime, options, target, { command, method: 'PUT', body, before, after });
}
