import type { RowClaim } from '../../ledger/ledger.ts';
import { StateError } from '../../errors.ts';
import type { Context } from '../runtime.ts';
import type { RowTarget } from '../session/row.ts';
import { pause } from '../shared/pause.ts';
import { note } from '../ui.ts';
import { keepsImages, keptOrRefused, type WriteOptions } from './images.ts';

const LOOK_AGAIN_MS = 50;
/** A write and the reading that settles it, each with the usual deadline, and some more. */
const LONGEST_WAIT_MS = 150_000;

/**
 * The turn of one command at a row. The service knows no condition under which a write holds, so
 * that two that read the same row before they write would lose one of the two writes unseen. Under
 * one home they take turns from the last reading to the end of the write: the second one reads, shows
 * and keeps what the first one wrote. Nobody's turn where no before-images are kept.
 */
export class RowTurn {
  readonly #context: Context<WriteOptions>;
  readonly #target: RowTarget;
  #claim: RowClaim | undefined;

  constructor(context: Context<WriteOptions>, target: RowTarget) {
    this.#context = context;
    this.#target = target;
  }

  /**
   * Waits until no other lectern writes the row; at once where it is this one's turn already. Throws
   * `InterruptedError`, and `StateError` where the other one takes too long.
   */
  async take(): Promise<void> {
    if (this.#claim || !(await keepsImages(this.#context))) return;
    const { label, url } = this.#target;
    for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
      this.#claim = await keptOrRefused(this.#target, async () =>
        (await this.#context.ledger()).claimRow(url),
      );
      if (this.#claim) return;
      if (waitedMs === 0) {
        const words = `another lectern is writing the ${label} row; waiting for its end`;
        await note(this.#context, words);
      }
      if (waitedMs >= LONGEST_WAIT_MS) throw tooLong(label);
      await pause(this.#context, LOOK_AGAIN_MS);
    }
  }

  end(): void {
    this.#claim?.release();
    this.#claim = undefined;
  }
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
  const { options } = context;
  const turn = new RowTurn(context, target);
  try {
    if (atOnce && !options.dryRun) await turn.take();
    await work(turn);
  } finally {
    turn.end();
  }
}

function tooLong(label: string): StateError {
  return new StateError(
    `another lectern has been writing the ${label} row for over ${LONGEST_WAIT_MS / 1000} s; nothing was sent`,
    'end it if it is stopped, and run the command again',
  );
}
