import { compactSize, jsonEqual, type JsonObject } from '../../json/index.ts';
import { keyChanges, type KeyChanges, sizeChange } from '../output/row-change.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import type { RowTarget } from '../session/row.ts';
import { note } from '../ui.ts';
import type { Row, Stored } from './row.ts';

/** Says which keys of the row come, go and change, and what becomes of its size. */
export async function showChange(
  runtime: Runtime,
  options: GlobalOptions,
  target: RowTarget,
  before: Stored,
  after: Row,
): Promise<void> {
  if ('fault' in before) {
    const { bytes, fault } = before;
    const what = `the ${target.label} row as it is, ${bytes.length} bytes, is no JSON object`;
    await note(runtime, options, `${what}: ${fault}`);
    return;
  }
  for (const line of keyChanges(changedKeys(before.value, after.value))) {
    await note(runtime, options, line);
  }
  const sizes = [compactSize(before.text), compactSize(after.text)] as const;
  await note(runtime, options, `${target.label}: ${sizeChange(...sizes, target.kind)}`);
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
