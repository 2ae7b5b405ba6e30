import { RowTurn } from '../../rows/turn.ts';
import type { Context } from '../runtime.ts';
import type { RowTarget } from '../session/row.ts';
import { note } from '../ui.ts';
import { withHistoryHint } from './history-hint.ts';
import { imageLedger, type WriteOptions } from './images.ts';

/** The turn of this command at a row; the row waits for nobody until it is taken. */
export function rowTurn(context: Context<WriteOptions>, target: RowTarget): RowTurn {
  const { label } = target;
  return new RowTurn(target, {
    ledger: () => imageLedger(context),
    clock: context,
    signal: context.interrupt,
    onWait: () =>
      note(context, `waiting for another lectern process that is writing the ${label} row`),
  });
}

/**
 * Works on a row in turn. `atOnce`: the turn is taken before the row is read. Where somebody is
 * asked, who may answer in hours, it is for `work` to take it then, and to read again.
 */
export async function inTurn(
  context: Context<WriteOptions>,
  target: RowTarget,
  { atOnce }: { atOnce: boolean },
  work: (turn: RowTurn) => Promise<void>,
): Promise<void> {
  const turn = rowTurn(context, target);
  try {
    if (atOnce && !context.options.dryRun) await withHistoryHint(() => turn.take());
    await work(turn);
  } finally {
    turn.end();
  }
}
