import { RowLock } from '../../rows/row-lock.ts';
import type { Context } from '../runtime.ts';
import type { RowTarget } from '../session/row.ts';
import { note } from '../ui.ts';
import { withHistoryHint } from './history-hint.ts';
import { imageLedger, type WriteOptions } from './images.ts';

/** The lock of this command on a row, not acquired yet. */
export function rowLock(context: Context<WriteOptions>, target: RowTarget): RowLock {
  const { label } = target;
  return new RowLock(target, {
    ledger: () => imageLedger(context),
    clock: context,
    signal: context.interrupt,
    onWait: () =>
      note(context, `waiting for another lectern process that is writing the ${label} row`),
  });
}

/**
 * Writes a row under its lock. With `atOnce` the lock is acquired before the row is read. Where a
 * question is asked first, whose answer may take hours, `work` acquires it afterwards and reads again.
 */
export async function withRowLock(
  context: Context<WriteOptions>,
  target: RowTarget,
  { atOnce }: { atOnce: boolean },
  work: (lock: RowLock) => Promise<void>,
): Promise<void> {
  const lock = rowLock(context, target);
  try {
    if (atOnce && !context.options.dryRun) await withHistoryHint(() => lock.acquire());
    await work(lock);
  } finally {
    lock.release();
  }
}
