import type { StorageWriteOptions } from './flags.ts';
import { readInput } from '../input/read.ts';
import type { Result } from '../output/result.ts';
import type { Context } from '../runtime.ts';
import { rowTargetAndRest } from '../session/row.ts';
import { newRow, runChange } from './change.ts';

export async function runPut(
  context: Context<StorageWriteOptions>,
  ...args: (string | undefined)[]
): Promise<Result> {
  const [target, file] = await rowTargetAndRest(context, 'storage', args);
  const { source, bytes } = await readInput(context, file, 'the new row');
  const planned = newRow(target, source, bytes);
  const change = { method: 'PUT', command: 'storage put', plan: () => planned } as const;
  return runChange(context, target, change, { hasDiff: true });
}
