import { InterruptedError, StateError } from '../errors.ts';
import type { ImageLedger, RowClaim } from '../ledger/ledger.ts';
import type { Clock } from '../ports.ts';
import { keptOrRefused, type NamedRow } from './images.ts';

const LOOK_AGAIN_MS = 50;
/** A write and the reading that settles it, each with the usual deadline, and some more. */
const LONGEST_WAIT_MS = 150_000;

export interface TurnOptions {
  /** Whose writers take turns, opened at the first turn; undefined where no before-images are kept: then nobody waits. */
  readonly ledger: () => Promise<ImageLedger | undefined>;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly signal: AbortSignal;
  /** Called once where another process is writing the row. */
  readonly onWait?: () => void | Promise<void>;
}

/**
 * The turn of one writer at a row. The service knows no condition under which a write holds, so that
 * two that read the same row before they write would lose one of the two writes unseen. Those that
 * share a ledger take turns from the last reading to the end of the write: the second one reads,
 * shows and keeps what the first one wrote.
 */
export class RowTurn {
  readonly #row: NamedRow;
  readonly #options: TurnOptions;
  #claim: RowClaim | undefined;

  constructor(row: NamedRow, options: TurnOptions) {
    this.#row = row;
    this.#options = options;
  }

  /**
   * Waits until nobody else writes the row; at once where it is this one's turn already. Throws
   * `InterruptedError`, and `StateError` where the other one takes longer than 150 seconds.
   */
  async take(): Promise<void> {
    if (this.#claim) return;
    const { onWait } = this.#options;
    const ledger = await keptOrRefused(this.#row, this.#options.ledger);
    if (ledger === undefined) return;
    const { label, url } = this.#row;
    for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
      this.#claim = await keptOrRefused(this.#row, () => ledger.claimRow(url));
      if (this.#claim) return;
      if (waitedMs === 0) await onWait?.();
      if (waitedMs >= LONGEST_WAIT_MS) throw tooLong(label);
      await this.#pause();
    }
  }

  end(): void {
    this.#claim?.release();
    this.#claim = undefined;
  }

  async #pause(): Promise<void> {
    const { clock, signal } = this.#options;
    try {
      await clock.sleep(LOOK_AGAIN_MS, signal);
    } catch (error) {
      throw new InterruptedError('interrupted', undefined, { cause: error });
    }
  }
}

function tooLong(label: string): StateError {
  return new StateError(
    `another lectern has been writing the ${label} row for over ${LONGEST_WAIT_MS / 1000} s; nothing was sent`,
    'end it if it is stopped, and run the command again',
  );
}
