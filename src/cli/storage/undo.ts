import { compactSize } from '../../json/index.ts';
import { rowAndRest } from '../arguments/rows.ts';
import type { Runtime } from '../runtime.ts';
import { rowTarget } from '../session/row.ts';
import { note } from '../ui.ts';
import { imageById, newestImage, type WriteOptions } from './images.ts';
import { replaceRow } from './replace.ts';
import { bytesOf, readsLike, readStored } from './row.ts';
import { printOutcome } from './write.ts';

export async function runUndo(
  runtime: Runtime,
  options: WriteOptions,
  args: readonly (string | undefined)[],
): Promise<void> {
  const [row, id] = rowAndRest(options, args);
  const target = await rowTarget(runtime, options, 'storage', row);
  const before = await readStored(target);
  const image =
    id === undefined
      ? await newestImage(runtime, target, before)
      : await imageById(runtime, options, target, id);
  if (readsLike(image.stored, before) && !options.dryRun) {
    const bytes = 'fault' in before ? null : compactSize(before.text);
    if (options.json) await printOutcome(runtime, target, { outcome: 'unchanged', bytes });
    else
      await note(runtime, options, `${target.label} reads like before-image ${image.id} already`);
    return;
  }
  if ('fault' in image.stored) {
    const bytes = `lectern storage history --show ${image.id} prints its bytes`;
    await note(runtime, options, `before-image ${image.id} is no JSON object; ${bytes}`);
  }
  const source = `before-image ${image.id}`;
  await note(runtime, options, `bringing ${source} back`);
  const bytes = bytesOf(image.stored);
  await replaceRow(runtime, options, target, { command: 'storage undo', source, bytes, before });
}
