import { sleepUnlessAborted } from '../clock.ts';
import { MAX_RETRY_AFTER_MS } from '../client/backoff.ts';
import type { SharedPace } from '../ledger/ledger.ts';
import { RateLimiter, type Time } from './rate-limiter.ts';

/** A longer pause that the service asks for holds all workers; a limit per second asks for none. */
const LONG_PAUSE_MS = 1500;
/** A slot that is later than this was slept through, and is not used. */
const MOST_LATE_MS = 1000;
/** Slots for at most this long are taken at once: another worker may need them more. */
const MOST_AHEAD_MS = 200;

/**
 * The limiter of one of several workers. Each learns the service's limit by itself. Together they keep
 * to the rate of the run, whose slots the ledger hands out, and to a pause that one of them is asked for.
 */
export class SharedLimiter extends RateLimiter {
  readonly #pace: SharedPace;
  #wanted = 0;
  #slots: Promise<number[]> | undefined;

  /** `cap`: of this worker alone. */
  constructor(time: Time, cap: number | undefined, pace: SharedPace) {
    super(time, cap, pace.share);
    this.#pace = pace;
    pace.onHold((ms) => this.hold(ms));
  }

  override async acquire(): Promise<boolean> {
    if (!(await super.acquire())) return false;
    if (this.#pace.rate === undefined) return true;
    this.#wanted += 1;
    while (!this.closing.signal.aborted) {
      const slots = (this.#slots ??= this.#takeSlots(this.#pace.rate));
      const at = (await slots).shift();
      if (at === undefined && this.#slots === slots) this.#slots = undefined;
      if (at === undefined) continue;
      const waitMs = Math.ceil(at - this.time.monotonic());
      if (waitMs > 0) await sleepUnlessAborted(this.time, waitMs, this.closing.signal);
      if (this.time.monotonic() - at > MOST_LATE_MS) continue;
      this.#wanted -= 1;
      return !this.closing.signal.aborted;
    }
    return false;
  }

  protected override changed(): void {
    this.#pace.reportLimit(this.learnt);
  }

  /** If the ledger's server cannot be reached, the other workers learn of the pause by themselves. */
  override pauseAsked(ms: number): void {
    if (ms < LONG_PAUSE_MS || ms > MAX_RETRY_AFTER_MS) return;
    this.hold(ms);
    this.#pace.hold(ms).catch(() => {});
  }

  /** The times of the next slots, for the requests that wait for one. */
  async #takeSlots(rate: number): Promise<number[]> {
    const count = Math.min(this.#wanted, Math.max(1, Math.floor((rate * MOST_AHEAD_MS) / 1000)));
    const first = (await this.#pace.slots(count)) + this.time.monotonic();
    return Array.from({ length: count }, (_, index) => first + (index * 1000) / rate);
  }
}
