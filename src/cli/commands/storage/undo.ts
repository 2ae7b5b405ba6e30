import type { Command } from 'commander';
import { compactSize, jsonEqual } from '../../../contract/index.ts';
import { imageById, newestImage, type WriteOptions } from '../../rows/images.ts';
import { replaceRow } from '../../rows/replace.ts';
import { readRow } from '../../rows/row.ts';
import { printOutcome } from '../../rows/write.ts';
import type { Runtime } from '../../runtime.ts';
import { rowAndRest, rowTarget } from '../../target.ts';
import { note } from '../../ui.ts';
import { addWriteFlags, ROW_ARGUMENT } from './flags.ts';

export function registerUndo(parent: Command, runtime: Runtime): void {
  const undo = parent
    .command('undo')
    .summary('bring a before-image back')
    .description(
      'Replace the row with a before-image: the newest that differs from it, or the one with ID. What is replaced is kept too, so that this can be undone.',
    )
    .argument('[row]', ROW_ARGUMENT)
    .argument('[id]', 'of a before-image, as storage history lists it');
  addWriteFlags(undo).action(async (row, id, _options, command: Command) => {
    await runUndo(runtime, command.optsWithGlobals(), [row, id]);
  });
}

async function runUndo(
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
    if (options.json) await printOutcome(runtime, target, 'unchanged', compactSize(before.text));
    else
      await note(runtime, options, `${target.label} reads like before-image ${image.id} already`);
    return;
  }
  const source = `before-image ${image.id}`;
  await note(runtime, options, `bringing ${source} back`);
  const bytes = new TextEncoder().encode(image.row.text);
  await replaceRow(runtime, options, target, { command: 'storage undo', source, bytes, before });
}
