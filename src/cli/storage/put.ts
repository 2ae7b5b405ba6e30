import { rowAndRest } from '../arguments/rows.ts';
import { readInput } from '../input/read.ts';
import type { Context } from '../runtime.ts';
import { rowTarget } from '../session/row.ts';
import type { WriteOptions } from './images.ts';
import { replaceRow } from './replace.ts';
import { withRowLock } from './row-lock.ts';

export async function runPut(
  context: Context<WriteOptions>,
  args: readonly (string | undefined)[],
): Promise<void> {
  const { options } = context;
  const [row, file] = rowAndRest(options, args);
  const target = await rowTarget(context, 'storage', row);
  const { source, bytes } = await readInput(context, file, 'the new row');
  const replacement = { command: 'storage put', source, content: bytes };
  await withRowLock(context, target, { atOnce: options.yes === true }, (turn) =>
    replaceRow(context, target, turn, replacement),
  );
}
