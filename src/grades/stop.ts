/** Why a run ends before all its records are sent. */
export type Stop =
  /**
   * `output_closed`: the reader of the output is gone. `stop_requested`: all workers of the shared
   * run were stopped.
   */
  | { readonly kind: 'interrupted' | 'output_closed' | 'stop_requested' }
  /**
   * 401, three times the same 403, no connection, a wait that is too long (`waitMs`), or consecutive
   * records in doubt (`doubts` of them).
   */
  | {
      readonly kind: 'refused';
      readonly error: unknown;
      readonly waitMs?: number;
      readonly doubts?: number;
    }
  /** The ledger cannot be written, or something unexpected happened. */
  | { readonly kind: 'failed'; readonly error: unknown };

/** The reason of a signal that stops a run for something else than an interrupt. */
export class StopReason extends Error {
  override readonly name = 'StopReason';
  readonly stop: Stop;

  constructor(stop: Stop) {
    super(`the run was stopped: ${stop.kind}`);
    this.stop = stop;
  }
}
