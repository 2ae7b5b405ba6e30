import { StateError } from '../../errors.ts';
import { LedgerError } from '../../ledger/error.ts';

/** Does what keeps a row; where that fails, names the flag that writes without keeping it. */
export async function withHistoryHint<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StateError && error.cause instanceof LedgerError)) throw error;
    const hint = 'use --no-history to write without a before-image';
    throw new StateError(error.message, hint, { cause: error.cause });
  }
}
