import { compactSize } from '../../json/index.ts';
import { rowAndRest } from '../arguments/rows.ts';
import type { Context } from '../runtime.ts';
import { rowTarget, type RowTarget } from '../session/row.ts';
import { note } from '../ui.ts';
import type { RowLock } from '../../rows/row-lock.ts';
import { imageById, newestOf, type WriteOptions } from './images.ts';
import { replaceRow } from './replace.ts';
import { withRowLock } from './row-lock.ts';
import { isSameRow, readStored } from '../../rows/row.ts';
import { printOutcome } from './write.ts';

export async function runUndo(
  context: Context<WriteOptions>,
  args: readonly (string | undefined)[],
): Promise<void> {
  const { options } = context;
  const [row, id] = rowAndRest(options, args);
  const target = await rowTarget(context, 'storage', row);
  await withRowLock(context, target, { atOnce: options.yes === true }, (lock) =>
    undo(context, target, lock, id),
  );
}

async function undo(
  context: Context<WriteOptions>,
  target: RowTarget,
  lock: RowLock,
  id: string | undefined,
): Promise<void> {
  const { options } = context;
  const before = await readStored(target);
  const image =
    id === undefined
      ? await newestOf(context, target, before)
      : await imageById(context, target, id);
  if (isSameRow(image.stored, before) && !options.dryRun) {
    const bytes = 'fault' in before ? null : compactSize(before.text);
    if (options.json) await printOutcome(context, target, { outcome: 'unchanged', bytes });
    else await note(context, `${target.label} already equals before-image ${image.id}`);
    return;
  }
  if ('fault' in image.stored) {
    const bytes = `print its bytes with: lectern storage history --show ${image.id}`;
    await note(context, `before-image ${image.id} is not a JSON object; ${bytes}`);
  }
  const source = `before-image ${image.id}`;
  await note(context, `restoring ${source}`);
  const content = 'fault' in image.stored ? image.stored.bytes : image.stored;
  const replacement = { command: 'storage undo', source, content, before };
  await replaceRow(context, target, lock, replacement);
}
