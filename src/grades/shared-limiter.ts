import type { SharedPace } from '../ledger/ledger.ts';
import { RateLimiter, type Time } from './rate-limiter.ts';
import { RateSlots } from './rate-slots.ts';

/** A pause that the service wants is told to all workers where it is longer: a limit by the second has none such. */
const LONG_PAUSE_MS = 1500;
/** One that is longer still is not waited for: its sender stops the run. */
const LONGEST_PAUSE_MS = 60_000;

/**
 * The limiter of one worker of several. Each learns the service's limit by itself, and begins with its
 * share of what the others have learnt; together they keep to the rate of the run, and to a pause
 * that the service wants of one of them.
 */
export class SharedLimiter extends RateLimiter {
  readonly #pace: SharedPace;
  readonly #slots: RateSlots | undefined;

  /** `cap`: of this worker alone. */
  constructor(time: Time, cap: number | undefined, pace: SharedPace) {
    super(time, cap, pace.share);
    this.#pace = pace;
    const { rate } = pace;
    if (rate !== undefined) this.#slots = new RateSlots(time, rate, (count) => pace.slots(count));
    pace.onHold((ms) => this.hold(ms));
  }

  override acquire(): Promise<boolean> | boolean {
    const may = super.acquire();
    const slots = this.#slots;
    if (!slots) return may;
    return Promise.resolve(may).then((isOpen) => isOpen && slots.acquire());
  }

  override accepted(sentAt: number): void {
    super.accepted(sentAt);
    this.#pace.reportLimit(this.learnt);
  }

  override refused(sentAt: number, waitMs: number): void {
    super.refused(sentAt, waitMs);
    this.#pace.reportLimit(this.learnt);
  }

  /** Where the server of the ledger is away, the others learn it by themselves. */
  override pauseAsked(ms: number): void {
    if (ms < LONG_PAUSE_MS || ms > LONGEST_PAUSE_MS) return;
    this.hold(ms);
    this.#pace.hold(ms).catch(() => {});
  }

  override close(): void {
    super.close();
    this.#slots?.close();
  }
}
