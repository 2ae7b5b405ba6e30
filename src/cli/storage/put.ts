import { rowAndRest } from '../arguments/rows.ts';
import { readInput } from '../input/read.ts';
import type { Runtime } from '../runtime.ts';
import { rowTarget } from '../session/row.ts';
import type { WriteOptions } from './images.ts';
import { replaceRow } from './replace.ts';
import { inTurn } from './row-turn.ts';

export async function runPut(
  runtime: Runtime,
  options: WriteOptions,
  args: readonly (string | undefined)[],
): Promise<void> {
  const [row, file] = rowAndRest(options, args);
  const target = await rowTarget(runtime, options, 'storage', row);
  const input = await readInput(runtime, file, 'the new row');
  const replacement = { command: 'storage put', ...input };
  await inTurn(runtime, options, target, { atOnce: options.yes === true }, (turn) =>
    replaceRow(runtime, options, target, turn, replacement),
  );
}
