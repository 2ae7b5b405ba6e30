import type { Clock } from '../../ports.ts';

/** The shares of 429 in a window above which the rate is cut, or loses a step; up to `quiet` it gains one. */
const SHARE = { refused: 0.15, high: 0.06, quiet: 0.005 };
const STEP_FACTOR = 1.05;
/** The rate after a cut, as a share of what was accepted; it is halved at most. */
const CUT_FACTOR = 0.95;
/** A window lasts at least this long and this many answers, but `early` answers if too many are refused. */
const WINDOW = { ms: 1000, answers: 20, early: 50 };
/** All requests wait after this many refusals in a row, with nothing accepted for this time. */
const NONE_ACCEPTED = { refusals: 5, ms: 100 };
const MIN_PER_SECOND = 0.1;
/** The allowance of this long is saved, for requests that are late. */
const SAVED_MS = 20;

/** How fast requests may be sent: a token bucket whose rate is learnt from the answers. */
export class Pace {
  readonly #monotonic: Clock['monotonic'];
  readonly #cap: () => number;
  #rate: number;
  #nextAt = -Infinity;
  #heldUntil = -Infinity;
  #window = { since: -Infinity, answers: 0, refused: 0 };
  /** Answers a second in the window before. */
  #used = 0;
  #acceptedAt = -Infinity;
  #refusedInRow = 0;

  /** All are requests per second; `start` is what another worker has learnt. */
  constructor(monotonic: Clock['monotonic'], cap = () => Infinity, start = Infinity) {
    this.#monotonic = monotonic;
    this.#cap = cap;
    this.#rate = start;
    this.#restart(start);
  }

  /** The rate learnt from the service, in requests per second; undefined if there is none. */
  get learnt(): number | undefined {
    return this.#rate < this.#cap() ? this.#rate : undefined;
  }

  get isHeld(): boolean {
    return this.#monotonic() < this.#heldUntil;
  }

  /** Takes the allowance of one request, and returns 0; or returns how long to wait for it, in ms. */
  take(): number {
    const now = this.#monotonic();
    const everyMs = 1000 / Math.min(this.#rate, this.#cap());
    const saved = now - Math.max(0, SAVED_MS - everyMs);
    const from = Math.max(this.#heldUntil, this.#nextAt, saved);
    if (from > now) return from - now;
    this.#nextAt = from + everyMs;
    return 0;
  }

  /** Sends nothing for `ms`. */
  hold(ms: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, this.#monotonic() + ms);
    this.#window = { since: this.#heldUntil, answers: 0, refused: 0 };
  }

  /** A request that took its allowance at `allowedAt` was answered: with 429, if it may be repeated after `againMs`. */
  answered(allowedAt: number, againMs?: number): void {
    const now = this.#monotonic();
    const isRefused = againMs !== undefined;
    if (!isRefused) this.#acceptedAt = now;
    this.#refusedInRow = isRefused ? this.#refusedInRow + 1 : 0;
    const window = this.#window;
    // Allowed before the window, it says nothing about its rate.
    if (allowedAt < window.since) return;
    window.answers += 1;
    if (isRefused) window.refused += 1;
    const ms = Math.max(1, now - window.since);
    const perSecond = (window.answers * 1000) / ms;
    const share = window.refused / window.answers;
    const { refusals, ms: noneMs } = NONE_ACCEPTED;
    const isNone = this.#refusedInRow >= refusals && now - this.#acceptedAt >= noneMs;
    // Chance alone may exceed the share: by two standard deviations and one more.
    const most = window.answers * SHARE.refused + 2 * Math.sqrt(window.answers * SHARE.refused) + 1;
    const isLong = ms >= WINDOW.ms && window.answers >= WINDOW.answers;
    if (isNone || ((isLong || window.answers >= WINDOW.early) && window.refused > most)) {
      const rate = this.#rate < Infinity ? this.#rate : Math.max(this.#used, perSecond);
      this.#restart(rate * Math.max(1 / 2, CUT_FACTOR * (1 - share)));
      this.#nextAt = now;
    } else if (isLong) {
      this.#used = perSecond;
      // At a rate that is not used, quiet means nothing.
      const isQuiet = share <= SHARE.quiet && perSecond > this.#rate / 2;
      const step = isQuiet ? STEP_FACTOR : share > SHARE.high ? 1 / STEP_FACTOR : 1;
      this.#restart(this.#rate * step);
    }
    if (isNone) this.hold(againMs ?? 0);
  }

  #restart(rate: number): void {
    this.#rate = Math.max(MIN_PER_SECOND, rate);
    this.#window = { since: this.#monotonic(), answers: 0, refused: 0 };
  }
}
