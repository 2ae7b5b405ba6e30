import { InterruptedError, StateError } from '../errors.ts';
import type { ImageLedger, RowClaim } from '../ledger/ledger.ts';
import type { Clock } from '../ports.ts';
import { refuseOnLedgerError, type NamedRow } from './images.ts';

const POLL_MS = 50;
/** A write and the read that settles it, each with the default deadline, and a margin. */
const MAX_WAIT_MS = 150_000;

export interface RowLockOptions {
  /** The ledger that holds the lock, opened when it is acquired; undefined without one: then nobody waits. */
  readonly ledger: () => Promise<ImageLedger | undefined>;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly signal: AbortSignal;
  /** Called once if another process is writing the row. */
  readonly onWait?: () => void | Promise<void>;
}

/**
 * A lock of one writer on a row. The service has no conditional writes, so that of two processes that
 * read the same row and then write it, one would overwrite the other unnoticed. Processes that share
 * a ledger hold this lock from the last read to the end of the write: the second one reads, shows and
 * keeps what the first one wrote.
 */
export class RowLock {
  readonly #row: NamedRow;
  readonly #options: RowLockOptions;
  #claim: RowClaim | undefined;

  constructor(row: NamedRow, options: RowLockOptions) {
    this.#row = row;
    this.#options = options;
  }

  /**
   * Waits until nobody else writes the row; returns at once if the lock is held already.
   *
   * @throws {InterruptedError}
   * @throws {StateError} if another process holds it for more than 150 seconds
   */
  async acquire(): Promise<void> {
    if (this.#claim) return;
    const { onWait } = this.#options;
    const ledger = await refuseOnLedgerError(this.#row, this.#options.ledger);
    if (ledger === undefined) return;
    const { label, url } = this.#row;
    for (let waitedMs = 0; ; waitedMs += POLL_MS) {
      this.#claim = await refuseOnLedgerError(this.#row, () => ledger.claimRow(url));
      if (this.#claim) return;
      if (waitedMs === 0) await onWait?.();
      if (waitedMs >= MAX_WAIT_MS) throw tooLong(label);
      await this.#pause();
    }
  }

  release(): void {
    this.#claim?.release();
    this.#claim = undefined;
  }

  async #pause(): Promise<void> {
    const { clock, signal } = this.#options;
    try {
      await clock.sleep(POLL_MS, signal);
    } catch (error) {
      throw new InterruptedError('interrupted', undefined, { cause: error });
    }
  }
}

function tooLong(label: string): StateError {
  return new StateError(
    `another lectern has been writing the ${label} row for over ${MAX_WAIT_MS / 1000} s; nothing was sent`,
    'end that process if it hangs, and run the command again',
  );
}
