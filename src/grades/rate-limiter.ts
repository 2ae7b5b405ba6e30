import { sleepUnlessAborted } from '../clock.ts';
import type { Clock } from '../ports.ts';
import { PROBE, RECOVER, SEARCH } from './rate-profiles.ts';
import { SlidingWindowCounter } from './sliding-window-counter.ts';
import { RandomRefusals } from './random-refusals.ts';

/** What a limiter needs: a monotonic clock, in milliseconds, and a way to wait. */
export type Time = Pick<Clock, 'monotonic' | 'sleep'>;

/** A request that may not be sent yet. */
export interface WaitingRequest {
  readonly resolve: (may: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** After this many increases without a refusal, the learnt rate is certainly too low. */
const CONFIDENT_INCREASES = 2;
/** Refusals closer together than this are one episode. */
const EPISODE_MS = 300;
/** If less of the rate is used, the absence of refusals means nothing: no increase. */
const MIN_USED_SHARE = 0.8;
/** The share of what was accepted in a second that is likely to be allowed in the next. */
const SAFETY_FACTOR = 0.93;
/** How many accepted requests are needed to estimate a rate. */
const MIN_SAMPLE = 50;
/** This many refusals, and nothing accepted for this long: the allowance is used up for now. */
const EXHAUSTED_REFUSALS = 5;
const EXHAUSTED_MS = 20;
/** Then one trial request is sent from time to time. */
const TRIALS_PER_WAIT = 6;
const TRIAL_MS = 50;
const LONG_TRIAL_MS = 500;
const MIN_PER_SECOND = 0.1;
const MIN_OVERLOADED_PER_SECOND = 5;
/** What may be sent at once after a delay, as a share of a second's allowance. */
const BURST_SHARE = 0.02;
/** Longer than any wait: it is woken before. */
const UNTIL_WOKEN_MS = 3_600_000;

/**
 * Limits the rate of requests. It starts without a limit and learns one from the service's 429
 * responses, whether the service counts per second, per minute, or with a token bucket: each refusal
 * cuts the rate, but not below what was accepted, and the rate then increases again. Refusals that do
 * not depend on the rate are ignored. Only the refused request waits for its Retry-After, which is
 * the sender's task.
 */
export class RateLimiter {
  readonly #time: Time;
  readonly #cap: number;
  /** Requests a second. */
  #rate: number;
  #profile = SEARCH;
  /** What is likely to be allowed: the rate is not cut below it. */
  #floor = 0;
  /** What is likely to be allowed, if halving shows that there is a limit. */
  #likelyRate = 0;
  #tokens = 1;
  #filledAt: number;
  #changedAt: number;
  #cutAt = -Infinity;
  #recalledAt = -Infinity;
  /** The current episode of refusals: when it began, and what was accepted since. */
  #episode = { at: 0, accepted: 0 };
  readonly #lastSecond = new SlidingWindowCounter();
  readonly #random = new RandomRefusals();
  readonly #randomOverload = new RandomRefusals();
  #acceptedAt: number;
  #acceptedSinceChange = 0;
  /** Since the last cut. */
  #increases = 0;
  #refusedInRow = 0;
  #trial: 'none' | 'due' | 'sent' = 'none';
  #heldUntil = 0;
  readonly #waiting: WaitingRequest[] = [];
  #isGranting = false;
  #closed = false;
  #wakeUp = new AbortController();

  /**
   * @param cap the maximum rate, in requests per second
   * @param start the rate to begin with, if another worker has learnt one
   */
  constructor(time: Time, cap = Infinity, start = cap) {
    this.#time = time;
    this.#cap = cap;
    this.#rate = Math.min(cap, start);
    if (this.#rate < cap) this.#profile = PROBE;
    this.#filledAt = time.monotonic();
    this.#changedAt = time.monotonic();
    this.#acceptedAt = time.monotonic();
  }

  /** The rate learnt from the service, in requests per second; undefined if there is none. */
  get learnt(): number | undefined {
    return this.#rate < this.#cap ? this.#rate : undefined;
  }

  /** Resolves to true when one request may be sent; to false if the limiter is closed. */
  acquire(): Promise<boolean> | boolean {
    if (this.#closed) return false;
    if (this.#rate === Infinity && this.#heldUntil === 0 && this.#trial === 'none') return true;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      if (!this.#isGranting) void this.#grantWaiting();
    });
  }

  /**
   * Whether a request that was let go at `letGoAt`, and is not sent yet, has to wait again: the rate was
   * cut since, or nothing was accepted at all.
   */
  isRecalled(letGoAt: number): boolean {
    return letGoAt <= this.#recalledAt;
  }

  /** A request sent at `sentAt` was answered, and not with 429. */
  accepted(sentAt: number): void {
    const now = this.#time.monotonic();
    this.#lastSecond.add(now);
    this.#random.accepted(sentAt);
    this.#randomOverload.accepted(sentAt);
    this.#acceptedAt = now;
    this.#acceptedSinceChange += 1;
    this.#episode.accepted += 1;
    this.#refusedInRow = 0;
    if (this.#trial !== 'none') this.#endTrial(now);
    if (this.#random.takeHalvingHelped())
      this.#setRate(now, Math.max(this.#rate, this.#likelyRate));
    else if (this.#rate < this.#cap && this.#mayIncrease(now)) this.#increase(now);
  }

  /** A request sent at `sentAt` was refused with 429; it may be repeated after `waitMs`. */
  refused(sentAt: number, waitMs: number): void {
    const now = this.#time.monotonic();
    this.#refusedInRow += 1;
    this.#random.refused(sentAt);
    if (this.#trial === 'sent') return this.#scheduleTrial(waitMs);
    // Before anything was accepted there is nothing to learn but when to try again.
    if (this.#rate === Infinity && this.#acceptedSinceChange === 0) {
      this.#recalledAt = now;
      return this.#scheduleTrial(waitMs);
    }
    const inRow = Math.max(EXHAUSTED_REFUSALS, this.#random.maxLikelyInRow);
    const isExhausted = this.#refusedInRow >= inRow && now - this.#acceptedAt >= EXHAUSTED_MS;
    if (isExhausted && this.#trial === 'none') this.#scheduleTrial(waitMs);
    // A request from before the last cut says nothing about the new rate.
    if (sentAt <= this.#cutAt || this.#random.areExpected(this.#rate)) return;
    const verdict = this.#random.judge(now, this.#rate, sentAt);
    if (verdict === 'wait') return;
    if (typeof verdict === 'object') return this.#restore(now, verdict.restore);
    if (verdict === 'halve') return this.#halve(now);
    if (now - this.#cutAt >= EPISODE_MS) this.#beginEpisode(now);
    else this.#lowerFloor(now);
    this.#cut(now);
  }

  /** A request sent at `sentAt` was answered with 503. */
  overloaded(sentAt: number): void {
    const now = this.#time.monotonic();
    this.#randomOverload.refused(sentAt);
    if (this.#trial !== 'none') this.#endTrial(now);
    if (now - this.#cutAt < RECOVER.increaseEveryMs || this.#randomOverload.areExpected(this.#rate))
      return;
    const verdict = this.#randomOverload.judge(now, this.#rate, sentAt);
    if (typeof verdict === 'object') return this.#restore(now, verdict.restore);
    this.#profile = RECOVER;
    this.#floor = MIN_OVERLOADED_PER_SECOND;
    this.#cut(now);
  }

  /** A request found no connection: nothing is sent for `ms`, and a trial has to be repeated. */
  unconnected(ms: number): void {
    if (this.#trial === 'sent') this.#trial = 'due';
    this.hold(ms);
  }

  /** Sends nothing for `ms`. */
  hold(ms: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, this.#time.monotonic() + ms);
    this.#wakeUp.abort();
  }

  /** The service asked one request to wait for `ms`. With several workers, all may have to. */
  pauseAsked(_ms: number): void {}

  /** Sends nothing any more; those that wait get false. */
  close(): void {
    this.#closed = true;
    for (const { resolve } of this.#waiting.splice(0)) resolve(false);
    this.#wakeUp.abort();
  }

  #beginEpisode(now: number): void {
    // What a service allows that counts per second; others allow less.
    this.#floor = SAFETY_FACTOR * this.#lastSecond.count(now);
    this.#profile = this.#cutAt === -Infinity ? SEARCH : PROBE;
    this.#episode = { at: now, accepted: 0 };
  }

  /** While refusals continue, what is accepted besides is all that is allowed. */
  #lowerFloor(now: number): void {
    const { at, accepted } = this.#episode;
    if (accepted < MIN_SAMPLE) return;
    const likelyRate = (SAFETY_FACTOR * accepted * 1000) / Math.max(1, now - at);
    // More is allowed than is sent by now: what was sent before the first cut has used it up.
    if (likelyRate > this.#rate) return;
    this.#floor = Math.min(this.#floor, likelyRate);
    this.#profile = PROBE;
  }

  #cut(now: number): void {
    const speed = this.#acceptedRate(now);
    // The first time, the rate may be a thousand times too high, and the floor as much too low.
    const first =
      this.#profile === RECOVER ? speed * RECOVER.cutFactor : Math.sqrt(speed * this.#floor);
    const rate = this.#rate === Infinity ? first : this.#rate * this.#profile.cutFactor;
    this.#cutTo(now, Math.max(rate, this.#floor));
  }

  /** Below what was accepted, to see whether the refusals end. */
  #halve(now: number): void {
    this.#likelyRate = SAFETY_FACTOR * this.#lastSecond.count(now);
    this.#floor = 0;
    this.#cutTo(now, this.#rate / 2);
  }

  #cutTo(now: number, rate: number): void {
    this.#cutAt = now;
    this.#recalledAt = now;
    this.#random.cut(now);
    this.#randomOverload.cut(now);
    this.#increases = 0;
    // Saved tokens would be used at once, against an exhausted allowance.
    this.#tokens = Math.min(this.#tokens, 0);
    this.#setRate(now, rate);
  }

  /** The refusals do not depend on the rate: undoes all cuts since they began. */
  #restore(now: number, rate: number): void {
    this.#profile = SEARCH;
    this.#cutAt = -Infinity;
    this.#recalledAt = -Infinity;
    this.#floor = 0;
    this.#increases = 0;
    this.#setRate(now, rate);
  }

  #mayIncrease(now: number): boolean {
    const { increaseEveryMs, confidentEveryMs, increaseEveryAccepted } = this.#profile;
    const ms = this.#increases < CONFIDENT_INCREASES ? increaseEveryMs : confidentEveryMs;
    return now - this.#changedAt >= ms && this.#acceptedSinceChange >= increaseEveryAccepted;
  }

  #increase(now: number): void {
    if (this.#acceptedRate(now) < MIN_USED_SHARE * this.#rate)
      return this.#setRate(now, this.#rate);
    const { increaseFactor, maxIncreaseFactor } = this.#profile;
    const factor = 1 + (increaseFactor - 1) * 2 ** this.#increases;
    this.#setRate(now, this.#rate * Math.min(maxIncreaseFactor, factor));
    this.#increases += 1;
  }

  /** Accepted requests per second since the last change. */
  #acceptedRate(now: number): number {
    return (this.#acceptedSinceChange * 1000) / Math.max(1, now - this.#changedAt);
  }

  #scheduleTrial(waitMs: number): void {
    this.#trial = 'due';
    this.hold(Math.min(waitMs, Math.max(TRIAL_MS, waitMs / TRIALS_PER_WAIT)));
  }

  #endTrial(now: number): void {
    this.#trial = 'none';
    // Nothing was allowed for this long: the limit is roughly what was accepted before.
    if (now - this.#cutAt >= LONG_TRIAL_MS) this.#profile = PROBE;
    this.#setRate(now, this.#rate);
  }

  #setRate(now: number, rate: number): void {
    this.#rate = Math.min(this.#cap, Math.max(MIN_PER_SECOND, rate));
    this.#changedAt = now;
    this.#acceptedSinceChange = 0;
    this.#wakeUp.abort();
  }

  async #grantWaiting(): Promise<void> {
    this.#isGranting = true;
    try {
      while (this.#waiting.length > 0) {
        const waitMs = this.#takeToken(this.#time.monotonic());
        if (waitMs === 0) this.#waiting.shift()?.resolve(true);
        else await this.#sleep(waitMs);
      }
    } catch (error) {
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    } finally {
      this.#isGranting = false;
    }
  }

  /** 0 if one may be sent now, otherwise how long to wait. */
  #takeToken(now: number): number {
    if (now < this.#heldUntil) return this.#heldUntil - now;
    this.#heldUntil = 0;
    if (this.#trial === 'sent') return UNTIL_WOKEN_MS;
    if (this.#trial === 'due') {
      this.#trial = 'sent';
      return 0;
    }
    const passedMs = Math.max(0, now - this.#filledAt);
    this.#filledAt = now;
    if (this.#rate === Infinity) return 0;
    const most = Math.max(1, this.#rate * BURST_SHARE);
    this.#tokens = Math.min(most, this.#tokens + (passedMs * this.#rate) / 1000);
    if (this.#tokens < 1) return Math.ceil(((1 - this.#tokens) * 1000) / this.#rate);
    this.#tokens -= 1;
    return 0;
  }

  async #sleep(ms: number): Promise<void> {
    this.#wakeUp = new AbortController();
    await sleepUnlessAborted(this.#time, ms, this.#wakeUp.signal);
  }
}
