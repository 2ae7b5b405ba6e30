import type { Clock } from '../ports.ts';
import { SlidingWindowCounter } from './sliding-window-counter.ts';
import { RandomRefusals } from './random-refusals.ts';

/** What a limiter needs of the world: a clock that nobody sets, in milliseconds, and a way to wait. */
export type Time = Pick<Clock, 'monotonic' | 'sleep'>;

/** How a limiter goes down at a refusal, and up again while nothing is refused. */
interface Profile {
  readonly cut: number;
  readonly climb: number;
  /** Each climb is twice as steep as the last one, up to this: what was learnt may be far too low. */
  readonly steepest: number;
  /** It climbs when so much time has passed, or `againMs` once it is sure, and so many were accepted. */
  readonly everyMs: number;
  readonly againMs: number;
  readonly everyAccepted: number;
}

/** While nobody knows yet what is allowed. */
const SEARCH: Profile = {
  cut: 0.7,
  climb: 1.15,
  steepest: 1.15,
  everyMs: 100,
  againMs: 100,
  everyAccepted: 10,
};
/** Once that is known roughly. */
const PROBE: Profile = {
  cut: 0.93,
  climb: 1.05,
  steepest: 1.4,
  everyMs: 1000,
  againMs: 700,
  everyAccepted: 50,
};
/** After the service was overloaded: each answer too many leaves a row in doubt. */
const RECOVER: Profile = {
  cut: 0.5,
  climb: 1.25,
  steepest: 1.25,
  everyMs: 1000,
  againMs: 1000,
  everyAccepted: 5,
};

/** After so many climbs without a refusal, what was learnt is too low for sure. */
const SURE_CLIMBS = 2;
/** Refusals closer together than this are one episode. */
const EPISODE_MS = 300;
/** Where less of a rate is used, it says nothing that it is not refused: it climbs no further. */
const USED_SHARE = 0.8;
/** Of what was accepted in a second, this much is likely to be allowed in the next. */
const CAUTION = 0.93;
/** So many accepted ones tell a rate; fewer came in too short a time. */
const TELLING = 50;
/** So many refusals, and nothing accepted for so long: the allowance is used up for now. */
const USED_UP = 5;
const USED_UP_MS = 20;
/** Then one request goes out now and then, to see whether there is a new one. */
const TRIALS_PER_WAIT = 6;
const TRIAL_MS = 50;
const LONG_TRIAL_MS = 500;
const SLOWEST_PER_SECOND = 0.1;
const SLOWEST_OVERLOADED_PER_SECOND = 5;
/** What may go out at once, as a share of a second's allowance, when a turn came late. */
const BURST_SHARE = 0.02;
/** Something will change before. */
const LONG_MS = 3_600_000;

/**
 * Says when a request may go out. It starts without a limit of its own and learns one from the
 * service's refusals (429), whether that counts by the second, by the minute, or with a bucket: it
 * slows down at each, but not below what was accepted, and feels its way up again. Refusals that
 * slowing down does not help against are no limit, and change nothing. Only the refused request waits
 * for its own Retry-After, which is its sender's part.
 */
export class RateLimiter {
  readonly #time: Time;
  readonly #cap: number;
  /** Requests a second. */
  #rate: number;
  #profile = SEARCH;
  /** What is likely to be allowed: a refusal cuts no deeper. */
  #floor = 0;
  /** What is likely to be allowed, should a deep cut show that there is a limit. */
  #likely = 0;
  #tokens = 1;
  #filledAt: number;
  #changedAt: number;
  #cutAt = -Infinity;
  /** The last episode of refusals: when it began, and what was accepted since. */
  #episode = { at: 0, accepted: 0 };
  readonly #lastSecond = new SlidingWindowCounter();
  readonly #random = new RandomRefusals();
  readonly #randomOverload = new RandomRefusals();
  #acceptedAt: number;
  #acceptedSinceChange = 0;
  /** Since the last cut. */
  #climbs = 0;
  #refusedInRow = 0;
  #trial: 'none' | 'due' | 'out' = 'none';
  #heldUntil = 0;
  readonly #waiting: ((may: boolean) => void)[] = [];
  #serving = false;
  #closed = false;
  #nap = new AbortController();

  /** `cap`: never more than this many a second. */
  constructor(time: Time, cap = Infinity) {
    this.#time = time;
    this.#cap = cap;
    this.#rate = cap;
    this.#filledAt = time.monotonic();
    this.#changedAt = time.monotonic();
    this.#acceptedAt = time.monotonic();
  }

  /** Resolves when one request may go out; with false when the limiter has been closed. */
  acquire(): Promise<boolean> | boolean {
    if (this.#closed) return false;
    if (this.#rate === Infinity && this.#heldUntil === 0 && this.#trial === 'none') return true;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (!this.#serving) void this.#serve();
    });
  }

  /** A request that went out at `sentAt` was answered, and not refused for its time. */
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
    if (this.#random.takeHelped()) this.#change(now, Math.max(this.#rate, this.#likely));
    else if (this.#rate < this.#cap && this.#isTime(now)) this.#climb(now);
  }

  /** A request that went out at `sentAt` was refused for its time; it may be repeated after `waitMs`. */
  refused(sentAt: number, waitMs: number): void {
    const now = this.#time.monotonic();
    this.#refusedInRow += 1;
    this.#random.refused(sentAt);
    if (this.#trial === 'out') return this.#tryLater(waitMs);
    // Before anything was accepted there is nothing to be learnt: only when to try again.
    if (this.#rate === Infinity && this.#acceptedSinceChange === 0) return this.#tryLater(waitMs);
    const inRow = Math.max(USED_UP, this.#random.likelyInRow);
    const isUsedUp = this.#refusedInRow >= inRow && now - this.#acceptedAt >= USED_UP_MS;
    if (isUsedUp && this.#trial === 'none') this.#tryLater(waitMs);
    // What was on its way when the limiter was cut says nothing of the new one.
    if (sentAt <= this.#cutAt || this.#random.areExpected(this.#rate)) return;
    const verdict = this.#random.judge(now, this.#rate, sentAt);
    if (verdict === 'wait') return;
    if (typeof verdict === 'object') return this.#restore(now, verdict.restore);
    if (verdict === 'halve') return this.#halve(now);
    if (now - this.#cutAt >= EPISODE_MS) this.#beginEpisode(now);
    else this.#learn(now);
    this.#cut(now);
  }

  /** To a request that went out at `sentAt` the service answered that it is overloaded. */
  overloaded(sentAt: number): void {
    const now = this.#time.monotonic();
    this.#randomOverload.refused(sentAt);
    if (this.#trial !== 'none') this.#endTrial(now);
    if (now - this.#cutAt < RECOVER.everyMs || this.#randomOverload.areExpected(this.#rate)) return;
    const verdict = this.#randomOverload.judge(now, this.#rate, sentAt);
    if (typeof verdict === 'object') return this.#restore(now, verdict.restore);
    this.#profile = RECOVER;
    this.#floor = SLOWEST_OVERLOADED_PER_SECOND;
    this.#cut(now);
  }

  /** A request found no connection: nothing goes out for so long, and a trial has to be made again. */
  unconnected(ms: number): void {
    if (this.#trial === 'out') this.#trial = 'due';
    this.hold(ms);
  }

  /** Lets nothing out for so long. */
  hold(ms: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, this.#time.monotonic() + ms);
    this.#nap.abort();
  }

  /** Lets nothing out any more; who waits is told. */
  close(): void {
    this.#closed = true;
    for (const resolve of this.#waiting.splice(0)) resolve(false);
    this.#nap.abort();
  }

  #beginEpisode(now: number): void {
    // For a service that counts by the second this is what it allows; for others it is less.
    this.#floor = CAUTION * this.#lastSecond.count(now);
    this.#profile = this.#cutAt === -Infinity ? SEARCH : PROBE;
    this.#episode = { at: now, accepted: 0 };
  }

  /** While refusals go on, what is accepted besides them is all that is allowed. */
  #learn(now: number): void {
    const { at, accepted } = this.#episode;
    if (accepted < TELLING) return;
    this.#floor = Math.min(this.#floor, (CAUTION * accepted * 1000) / Math.max(1, now - at));
    this.#profile = PROBE;
  }

  #cut(now: number): void {
    const speed = this.#speed(now);
    // The first time it may be too fast a thousandfold, and the floor as much too low.
    const first = this.#profile === RECOVER ? speed * RECOVER.cut : Math.sqrt(speed * this.#floor);
    const rate = this.#rate === Infinity ? first : this.#rate * this.#profile.cut;
    this.#cutTo(now, Math.max(rate, this.#floor));
  }

  /** Deeper than what was accepted tells, to see whether the refusals end. */
  #halve(now: number): void {
    this.#likely = CAUTION * this.#lastSecond.count(now);
    this.#floor = 0;
    this.#cutTo(now, this.#rate / 2);
  }

  #cutTo(now: number, rate: number): void {
    this.#cutAt = now;
    this.#random.cut(now);
    this.#randomOverload.cut(now);
    this.#climbs = 0;
    // What was saved up would go out at once, and meet what has just been used up.
    this.#tokens = Math.min(this.#tokens, 0);
    this.#change(now, rate);
  }

  /** The refusals were no limit, and all cuts since they began were in vain. */
  #restore(now: number, rate: number): void {
    this.#profile = SEARCH;
    this.#cutAt = -Infinity;
    this.#floor = 0;
    this.#climbs = 0;
    this.#change(now, rate);
  }

  #isTime(now: number): boolean {
    const { everyMs, againMs, everyAccepted } = this.#profile;
    const ms = this.#climbs < SURE_CLIMBS ? everyMs : againMs;
    return now - this.#changedAt >= ms && this.#acceptedSinceChange >= everyAccepted;
  }

  #climb(now: number): void {
    if (this.#speed(now) < USED_SHARE * this.#rate) return this.#change(now, this.#rate);
    const { climb, steepest } = this.#profile;
    this.#change(now, this.#rate * Math.min(steepest, 1 + (climb - 1) * 2 ** this.#climbs));
    this.#climbs += 1;
  }

  /** How fast requests were accepted since the last change, a second. */
  #speed(now: number): number {
    return (this.#acceptedSinceChange * 1000) / Math.max(1, now - this.#changedAt);
  }

  #tryLater(waitMs: number): void {
    this.#trial = 'due';
    this.hold(Math.min(waitMs, Math.max(TRIAL_MS, waitMs / TRIALS_PER_WAIT)));
  }

  #endTrial(now: number): void {
    this.#trial = 'none';
    // Nothing was allowed for so long: then what was accepted before is all there is.
    if (now - this.#cutAt >= LONG_TRIAL_MS) this.#profile = PROBE;
    this.#change(now, this.#rate);
  }

  #change(now: number, rate: number): void {
    this.#rate = Math.min(this.#cap, Math.max(SLOWEST_PER_SECOND, rate));
    this.#changedAt = now;
    this.#acceptedSinceChange = 0;
    this.#nap.abort();
  }

  async #serve(): Promise<void> {
    this.#serving = true;
    while (this.#waiting.length > 0) {
      const waitMs = this.#takeToken(this.#time.monotonic());
      if (waitMs === 0) this.#waiting.shift()?.(true);
      else await this.#sleep(waitMs);
    }
    this.#serving = false;
  }

  /** 0 when one may go out now, else how long to wait for it. */
  #takeToken(now: number): number {
    if (now < this.#heldUntil) return this.#heldUntil - now;
    this.#heldUntil = 0;
    if (this.#trial === 'out') return LONG_MS;
    if (this.#trial === 'due') {
      this.#trial = 'out';
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
    this.#nap = new AbortController();
    await this.#time.sleep(ms, this.#nap.signal).catch(() => {});
  }
}
