import type { KeyChanges } from '../json-forms/storage.ts';
import { compactSize, jsonEqual, type JsonObject } from '../../json/index.ts';
import { keyChangeLines, sizeChange } from '../output/row-change.ts';
import { numberText } from '../output/units.ts';
import type { Context } from '../runtime.ts';
import type { RowTarget } from '../session/row.ts';
import { note } from '../ui.ts';
import { textDiff } from './difference.ts';
import type { Row, StoredRow } from '../../rows/row.ts';

/** Prints which keys of the row are added, removed and changed, and its size before and after. */
export async function showChange(
  context: Context,
  target: RowTarget,
  before: StoredRow,
  after: Row,
): Promise<void> {
  if ('fault' in before) {
    const { bytes, fault } = before;
    const what = `the current ${target.label} row (${bytes.length} bytes) is not a JSON object`;
    await note(context, `${what}: ${fault}`);
    return;
  }
  for (const line of keyChangeLines(changedKeys(before.value, after.value))) {
    await note(context, line);
  }
  const sizes = [compactSize(before.text), compactSize(after.text)] as const;
  await note(context, `${target.label}: ${sizeChange(...sizes, target.kind)}`);
}

/** A row nested 1,000 levels has 2,000 lines, and may have one of a megabyte. */
const MAX_LINES = 100;
const MAX_WIDTH = 200;

/** Prints the beginning of the line diff of two rows on standard error. */
export async function showDiff(
  context: Context,
  before: readonly [name: string, row: Row],
  after: readonly [name: string, row: Row],
): Promise<void> {
  const { options, stderr } = context;
  if (options.quiet || options.json) return;
  const lines = textDiff(stderr, before, after, MAX_WIDTH).split(/(?<=\n)/);
  await stderr.write(lines.slice(0, MAX_LINES).join(''));
  const more = lines.length - MAX_LINES;
  if (more <= 0) return;
  await note(context, `… and ${numberText(more)} more lines; lectern storage diff shows all`);
}

/** The top-level names that differ between two rows, in the order of the rows. */
export function changedKeys(before: JsonObject, after: JsonObject): KeyChanges {
  const kept = [...before.keys()].filter((name) => after.has(name));
  return {
    gone: [...before.keys()].filter((name) => !after.has(name)),
    added: [...after.keys()].filter((name) => !before.has(name)),
    changed: kept.filter((name) => !jsonEqual(before.get(name) ?? null, after.get(name) ?? null)),
  };
}
