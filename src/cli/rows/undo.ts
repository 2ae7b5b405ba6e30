import { compactSize, jsonEqual } from '../../contract/index.ts';
import { imageById, newestImage, type WriteOptions } from './images.ts';
import { replaceRow } from './replace.ts';
import { readRow } from './row.ts';
import { printOutcome } from './write.ts';
import type { Runtime } from '../runtime.ts';
import { rowAndRest, rowTarget } from '../target.ts';
import { note } from '../ui.ts';

export async function runUndo(
  runtime: Runtime,
  options: WriteOptions,
  args: readonly (string | undefined)[],
): Promise<void> {
  const [row, id] = rowAndRest(options, args);
  const target = await rowTarget(runtime, options, 'storage', row);
  const before = await readRow(target);
  const image =
    id === undefined
      ? await newestImage(runtime, target, before)
      : await imageById(runtime, options, target, id);
  if (jsonEqual(image.row.value, before.value) && !options.dryRun) {
    const bytes = compactSize(before.text);
    if (options.json) await printOutcome(runtime, target, { outcome: 'unchanged', bytes });
    else
      await note(runtime, options, `${target.label} reads like before-image ${image.id} already`);
    return;
  }
  const source = `before-image ${image.id}`;
  await note(runtime, options, `bringing ${source} back`);
  const bytes = new TextEncoder().encode(image.row.text);
  await replaceRow(runtime, options, target, { command: 'storage undo', source, bytes, before });
}
