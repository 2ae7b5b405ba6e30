import { UsageError } from '../../errors.ts';
import type { Context } from '../runtime.ts';
import { rowTarget } from '../session/row.ts';
import type { WriteOptions } from './images.ts';
import { replaceRow } from './replace.ts';
import { readRow } from '../../rows/row.ts';
import { withRowLock } from './row-lock.ts';

export async function runCopy(
  context: Context<WriteOptions>,
  from: string,
  to: string,
): Promise<void> {
  const { options } = context;
  if (options.url !== undefined) {
    throw new UsageError('--url cannot be used with copy', 'pass the URLs as FROM and TO');
  }
  const source = await rowTarget(context, 'storage', from);
  const target = await rowTarget(context, 'storage', to);
  if (source.url === target.url) throw new UsageError('FROM and TO are the same row');
  const replacement = {
    command: 'storage copy',
    source: `the ${source.label} row`,
    content: await readRow(source),
  };
  await withRowLock(context, target, { atOnce: options.yes === true }, (turn) =>
    replaceRow(context, target, turn, replacement),
  );
}
