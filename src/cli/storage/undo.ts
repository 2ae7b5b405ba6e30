import { compactSize } from '../../json/index.ts';
import { rowAndRest } from '../arguments/rows.ts';
import type { Runtime } from '../runtime.ts';
import { rowTarget, type RowTarget } from '../session/row.ts';
import { note } from '../ui.ts';
import { imageById, newestImage, type WriteOptions } from './images.ts';
import { replaceRow } from './replace.ts';
import { inTurn, type RowTurn } from './row-turn.ts';
import { bytesOf, readsLike, readStored } from './row.ts';
import { printOutcome } from './write.ts';

export async function runUndo(
  runtime: Runtime,
  options: WriteOptions,
  args: readonly (string | undefined)[],
): Promise<void> {
  const [row, id] = rowAndRest(options, args);
  const target = await rowTarget(runtime, options, 'storage', row);
  await inTurn(runtime, options, target, { atOnce: options.yes === true }, (turn) =>
    undo(runtime, options, target, turn, id),
  );
}

async function undo(
  runtime: Runtime,
  options: WriteOptions,
  target: RowTarget,
  turn: RowTurn,
  id: string | undefined,
): Promise<void> {
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
  const replacement = { command: 'storage undo', source, bytes, before };
  await replaceRow(runtime, options, target, turn, replacement);
}
