import type { StorageWriteOptions } from './flags.ts';
import { UsageError } from '../../errors.ts';
import { readInput } from '../input/read.ts';
import { readRow } from '../../rows/row.ts';
import type { Result } from '../output/result.ts';
import type { Context } from '../runtime.ts';
import { rowTarget, rowTargetAndRest } from '../session/row.ts';
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

export async function runCopy(
  context: Context<StorageWriteOptions>,
  from: string,
  to: string,
): Promise<Result> {
  const { options } = context;
  if (options.url !== undefined) {
    throw new UsageError('--url cannot be used with copy', 'pass the URLs as FROM and TO');
  }
  const source = await rowTarget(context, 'storage', from);
  const target = await rowTarget(context, 'storage', to);
  if (source.url === target.url) throw new UsageError('FROM and TO are the same row');
  const planned = newRow(target, `the ${source.label} row`, await readRow(source));
  return runChange(context, target, {
    method: 'PUT',
    command: 'storage copy',
    plan: () => planned,
  });
}
