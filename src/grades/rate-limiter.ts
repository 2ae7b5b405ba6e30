/**
 * How the rate is learnt:
 * 1. No limit is known at first, and all is sent at once. `cap` is never exceeded.
 * 2. A window counts the answers to requests that were sent since the rate last changed.
 * 3. If many more than a share of them are 429, the rate is cut: first to what was accepted, later by a
 *    factor. Fewer may be random. A 503 halves the rate, once a second at most.
 * 4. After a cut each window tries another rate: lower if some were refused, else higher. It is kept if
 *    fewer are refused at the lower, or no more at the higher. The next try is half as large, and later,
 *    after one that was undone; larger, and sooner, after a higher one that was kept.
 * 5. When nothing is accepted, single requests are sent until one is. */
import { sleepUnlessAborted } from '../clock.ts';
import type { Clock } from '../ports.ts';

export type Time = Pick<Clock, 'monotonic' | 'sleep'>;

/** Up to this share of answers 429, and 503, cuts nothing. */
const RANDOM_REFUSED = 0.15;
const RANDOM_OVERLOADED = 0.02;
/** From this share of answers 429 on a rate is tried that is lower by this factor. */
const FEW_REFUSED = 0.02;
const LOWER_FACTOR = 1.15;
/** A higher rate may always be refused this share. */
const MIN_SHARE_BEFORE = 0.01;
/** How much the next try changes the rate, and how long a window lasts until then. */
const FIRST_TRY = { factor: 1.5, everyMs: 100 };
const TRY_AFTER_CUT = { factor: 1.1, everyMs: 500 };
const TRY_AFTER_503 = { factor: 1.25, everyMs: 1000 };
const LAST_TRY = { factor: 1.04, everyMs: 4000 };
const MIN_ANSWERS = 3;
const CUT_FACTOR = 1.3;
/** The share of what was accepted that is likely to be accepted again. */
const SAFETY_FACTOR = 0.95;
/** If less of the rate is used, the absence of refusals means nothing. */
const MIN_USED_SHARE = 0.6;
/** This many refusals in a row, and nothing accepted for this long: nothing is accepted any more. */
const NONE = { refusals: 5, ms: 20 };
/** A single request is sent after this share of a Retry-After. */
const TRIAL = { share: 1 / 6, minMs: 50 };
const MIN_PER_SECOND = 0.1;
const MIN_OVERLOADED_PER_SECOND = 5;
/** What may be sent at once after a delay, as a share of a second's allowance. */
const BURST_SHARE = 0.02;
/** Longer than any wait: it is woken before. */
export const UNTIL_WOKEN_MS = 3_600_000;

/** Limits the rate of requests to a maximum, and to what the service accepts. */
export class RateLimiter {
  protected readonly time: Time;
  protected readonly closing = new AbortController();
  readonly #cap: number;
  #rate: number;
  #nextTry = FIRST_TRY;
  /** The rate before the one that is tried, and the share that was refused at it. */
  #before: { readonly rate: number; readonly share: number } | undefined;
  #didLowerFail = false;
  #window = { since: 0, accepted: 0, refused: 0, overloaded: 0 };
  #cutAt = -Infinity;
  #tokens = 1;
  #filledAt: number;
  #refusedInRow = 0;
  #acceptedAt = -Infinity;
  #heldUntil = 0;
  #isTrying = false;
  /** The wait of the last request that has to wait. */
  #last: Promise<unknown> = Promise.resolve();
  #wakeUp = new AbortController();

  /** Both are requests per second; `start` is what another worker has learnt. */
  constructor(time: Time, cap = Infinity, start = cap) {
    this.time = time;
    this.#cap = cap;
    this.#rate = Math.min(cap, start);
    if (this.#rate < cap) this.#nextTry = TRY_AFTER_CUT;
    this.#filledAt = time.monotonic();
    this.#window.since = this.#filledAt - 1;
  }

  /** The rate learnt from the service, in requests per second; undefined if there is none. */
  get learnt(): number | undefined {
    return this.#rate < this.#cap ? this.#rate : undefined;
  }

  /** Resolves to true when one request may be sent; to false if the limiter is closed. */
  async acquire(): Promise<boolean> {
    if (this.closing.signal.aborted) return false;
    if (this.#rate === Infinity && this.#heldUntil === 0 && !this.#isTrying) return true;
    const turn = this.#last.then(() => this.#takeTurn());
    this.#last = turn.catch(() => {});
    return turn;
  }

  /** Whether a request that was let go at `letGoAt` has to wait again: the rate was cut since. */
  isRecalled(letGoAt: number): boolean {
    return letGoAt <= this.#cutAt;
  }

  /** A request sent at `sentAt` was answered, and not with 429. */
  accepted(sentAt: number): void {
    const now = this.time.monotonic();
    this.#acceptedAt = now;
    this.#refusedInRow = 0;
    this.#endTrial();
    if (sentAt <= this.#window.since) return;
    this.#window.accepted += 1;
    if (this.#rate < Infinity) this.#tryAnother(now, sentAt - this.#window.since);
  }

  /** A request sent at `sentAt` was refused with 429; it may be repeated after `waitMs`. */
  refused(sentAt: number, waitMs: number): void {
    const now = this.time.monotonic();
    this.#refusedInRow += 1;
    if (sentAt > this.#window.since && !this.#isTrying) this.#countRefusal(now);
    const acceptsNone = this.#refusedInRow >= NONE.refusals || this.#acceptedAt === -Infinity;
    const isExhausted = acceptsNone && now - this.#acceptedAt >= NONE.ms;
    if (!isExhausted && !this.#isTrying) return;
    this.#isTrying = true;
    this.#cutAt = now;
    this.#holdUntil(now + Math.min(waitMs, Math.max(TRIAL.minMs, waitMs * TRIAL.share)));
  }

  /** A request sent at `sentAt` was answered with 503. */
  overloaded(sentAt: number): void {
    const now = this.time.monotonic();
    this.#endTrial();
    if (sentAt <= this.#window.since) return;
    this.#window.overloaded += 1;
    const isSoon = now - this.#cutAt < TRY_AFTER_503.everyMs;
    if (isSoon || !this.#isExcess('overloaded', RANDOM_OVERLOADED, 4)) return;
    const speed = this.#rate === Infinity ? this.#acceptedRate(now) : this.#rate;
    this.#cutTo(now, Math.max(speed / 2, MIN_OVERLOADED_PER_SECOND));
    this.#nextTry = TRY_AFTER_503;
  }

  /** A request found no connection: nothing is sent for `ms`, then a trial is repeated. */
  unconnected(ms: number): void {
    if (this.#isTrying) this.#heldUntil = 0;
    this.hold(ms);
  }

  hold(ms: number): void {
    this.#holdUntil(Math.max(this.#heldUntil, this.time.monotonic() + ms));
  }

  protected changed(): void {}

  /** The service asked one request to wait for `ms`. With several workers, all may have to. */
  pauseAsked(_ms: number): void {}

  /** Sends nothing any more; those that wait get false. */
  close(): void {
    this.closing.abort();
    this.#wakeUp.abort();
  }

  #endTrial(): void {
    if (this.#isTrying) this.#holdUntil(0);
    this.#isTrying = false;
  }

  #holdUntil(at: number): void {
    this.#heldUntil = at;
    this.#wakeUp.abort();
  }

  /** Whether more of a window's answers are refusals than a share, and what chance adds to it. */
  #isExcess(kind: 'refused' | 'overloaded', share: number, deviations: number): boolean {
    const { accepted, [kind]: count } = this.#window;
    const answers = accepted + count;
    const deviation = Math.sqrt(answers * share * (1 - share));
    return count > answers * share + deviations * deviation + 1;
  }

  #countRefusal(now: number): void {
    this.#window.refused += 1;
    const before = this.#before;
    if (this.#isExcess('refused', RANDOM_REFUSED, 3)) {
      const isFirst = this.#rate === Infinity;
      const rate = isFirst ? SAFETY_FACTOR * this.#acceptedRate(now) : this.#rate / CUT_FACTOR;
      if (!isFirst) this.#nextTry = TRY_AFTER_CUT;
      // Before anything was accepted there is nothing to learn but when to try again.
      if (rate > 0) this.#cutTo(now, rate);
      return;
    }
    if (!before || this.#rate < before.rate) return;
    const share = Math.max(before.share, MIN_SHARE_BEFORE);
    if (this.#isExcess('refused', share, 3)) this.#undo(now, before.rate);
  }

  /** What was accepted a second at this rate; in less than a second a service may accept more. */
  #acceptedRate(now: number): number {
    return (this.#window.accepted * 1000) / Math.max(1000, now - this.#window.since);
  }

  #cutTo(now: number, rate: number): void {
    this.#cutAt = now;
    this.#before = undefined;
    // Saved tokens would be used at once, against an exhausted allowance.
    this.#tokens = Math.min(this.#tokens, 0);
    this.#setRate(now, Math.min(rate, this.#rate));
  }

  /** Ends a window that is long enough: keeps its rate or returns to the one before, and tries another. */
  #tryAnother(now: number, passedMs: number): void {
    const { accepted, refused } = this.#window;
    const { factor, everyMs } = this.#nextTry;
    if (passedMs < everyMs || accepted + refused < MIN_ANSWERS) return;
    const isUsed = (accepted + refused) * 1000 >= MIN_USED_SHARE * this.#rate * passedMs;
    if (!isUsed) return this.#setRate(now, this.#rate);
    const share = refused / (accepted + refused);
    const before = this.#before;
    // A limit refuses less at a lower rate, a shared one a part of that; at random the share stays.
    const lower = before ? 1 - this.#rate / before.rate : 0;
    const isUseless = lower > 0 && before && share > before.share - lower / 3;
    if (isUseless) return this.#undo(now, before.rate);
    const mayTryLower = everyMs > FIRST_TRY.everyMs && !this.#didLowerFail;
    const triesLower = mayTryLower && share > FEW_REFUSED;
    this.#didLowerFail = false;
    if (!triesLower && this.#rate >= this.#cap) return this.#setRate(now, this.#rate);
    if (before && lower <= 0) {
      const sooner = Math.max(FIRST_TRY.everyMs, everyMs / 2);
      this.#nextTry = { factor: Math.min(FIRST_TRY.factor, 2 * factor - 1), everyMs: sooner };
    }
    this.#before = { rate: this.#rate, share };
    this.#setRate(now, triesLower ? this.#rate / LOWER_FACTOR : this.#rate * factor);
  }

  #undo(now: number, rate: number): void {
    const { factor, everyMs } = this.#nextTry;
    const later = Math.min(LAST_TRY.everyMs, everyMs * 2);
    this.#nextTry = { factor: Math.max(LAST_TRY.factor, (factor + 1) / 2), everyMs: later };
    this.#didLowerFail = this.#rate < rate;
    this.#before = undefined;
    this.#setRate(now, rate);
  }

  #setRate(now: number, rate: number): void {
    this.#rate = Math.min(this.#cap, Math.max(MIN_PER_SECOND, rate));
    this.#window = { since: now, accepted: 0, refused: 0, overloaded: 0 };
    this.#wakeUp.abort();
    this.changed();
  }

  async #takeTurn(): Promise<boolean> {
    while (!this.closing.signal.aborted) {
      const waitMs = this.#takeToken(this.time.monotonic());
      if (waitMs === 0) return true;
      this.#wakeUp = new AbortController();
      await sleepUnlessAborted(this.time, waitMs, this.#wakeUp.signal);
    }
    return false;
  }

  /** 0 if one may be sent now, otherwise how long to wait. */
  #takeToken(now: number): number {
    if (now < this.#heldUntil) return Math.min(this.#heldUntil - now, UNTIL_WOKEN_MS);
    // The next one waits for the answer to this one.
    this.#heldUntil = this.#isTrying ? Infinity : 0;
    if (this.#isTrying) return 0;
    const passedMs = Math.max(0, now - this.#filledAt);
    this.#filledAt = now;
    if (this.#rate === Infinity) return 0;
    const most = Math.max(1, this.#rate * BURST_SHARE);
    this.#tokens = Math.min(most, this.#tokens + (passedMs * this.#rate) / 1000);
    if (this.#tokens < 1) return Math.ceil(((1 - this.#tokens) * 1000) / this.#rate);
    this.#tokens -= 1;
    return 0;
  }
}
