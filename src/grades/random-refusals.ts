/** A series of refusals ends after this many consecutive accepted requests. */
const SERIES_END_ACCEPTED = 1000;
/** A limit is disproved once requests were accepted this many times as fast. */
const DISPROVING_FACTOR = 1.5;
/** What a limit may still let through at once right after a refusal. */
const BURST_ALLOWANCE = 4;
/** After this many cuts, with at most this many accepted between two of them, cutting does not help. */
const MAX_INEFFECTIVE_CUTS = 4;
const MAX_ACCEPTED_BETWEEN_CUTS = 60;
/** Then this many answers show whether a cut helps; or this many refusals, if nearly all are. */
const MIN_ANSWERS = 20;
const MIN_REFUSALS = 5;
const NEARLY_ALL_SHARE = 0.8;
/** The first answers after a cut may still be refused because of the requests before it. */
const IGNORED_AFTER_CUT = 3;
/** How many answers are compared with the known share. */
const WINDOW_ANSWERS = 100;
/** What still counts as chance: standard deviations above the share, and refusals in addition. */
const ALLOWED_DEVIATIONS = 3;
const ALLOWED_EXTRA = 1;
const MAX_SHARE = 0.95;
/** The share that is assumed to be random while no limit has been seen. */
const ASSUMED_SHARE = 0.01;
/** A sequence of refusals that is less likely than this is not random. */
const MIN_PROBABILITY = 1e-4;

/** What a refusal says about the current rate. */
export type Verdict =
  | 'cut'
  /** Cuts have not helped, or a share is known: halving shows whether slowing down helps. */
  | 'halve'
  /** Too few answers since the last cut. */
  | 'wait'
  /** No limit explains the refusals: return to this rate, from before the cuts. */
  | { readonly restore: number };

/**
 * Tells refusals at random from a limit on rate. A limit refuses what comes too fast and nothing
 * else. Refusals at random keep their share, however slowly requests go out. So a refusal disproves
 * every limit below its rate once requests have been accepted faster than that since the refusals
 * began. The share that was refused is then known not to change with the rate, and only what exceeds
 * it is taken for a limit. Rates are requests a second, times are milliseconds.
 */
export class RandomRefusals {
  /** The share that is refused at random, at any rate. */
  #share = 0;
  /** Answers to requests since the last cut; if a share is known, in the current window. */
  #answers = 0;
  #refused = 0;
  #cutAt = -Infinity;
  #isFirstWindow = false;
  #series: Series | undefined;
  #acceptedInRow = 0;
  /** Consecutive cuts with few accepted in between. */
  #cuts = 0;
  #isHalved = false;

  /** A request sent at `sentAt` was accepted. */
  accepted(sentAt: number): void {
    this.#acceptedInRow += 1;
    if (this.#series && sentAt > this.#series.since) this.#series.accepted += 1;
    this.#count(sentAt, 0);
  }

  /** A request sent at `sentAt` was refused. */
  refused(sentAt: number): void {
    if (this.#series && sentAt > this.#series.since) this.#series.refused += 1;
    this.#count(sentAt, 1);
  }

  /** Whether the known share explains the recent refusals at a rate. */
  areExpected(rate: number): boolean {
    const share = rate === Infinity ? Math.max(this.#share, ASSUMED_SHARE) : this.#share;
    if (share === 0) return this.#refused === 0;
    const expected = share * this.#answers;
    const deviation = Math.sqrt(expected * (1 - share));
    return this.#refused <= expected + ALLOWED_DEVIATIONS * deviation + ALLOWED_EXTRA;
  }

  /** This many consecutive refusals may be random. */
  get maxLikelyInRow(): number {
    return this.#share === 0 ? 0 : Math.log(MIN_PROBABILITY) / Math.log(this.#share);
  }

  /** Judges an unexpected refusal of a request sent at `sentAt`. */
  judge(now: number, rate: number, sentAt: number): Verdict {
    const acceptedInRow = this.#acceptedInRow;
    this.#acceptedInRow = 0;
    if (acceptedInRow > MAX_ACCEPTED_BETWEEN_CUTS) this.#cuts = 0;
    if (!this.#series || acceptedInRow > SERIES_END_ACCEPTED) {
      this.#series = { since: now, sentAt, rate, accepted: 0, refused: 0, allowed: 0 };
      return this.#share === 0 || rate === Infinity ? 'cut' : this.#halve();
    }
    const series = this.#series;
    if (series.allowed > DISPROVING_FACTOR * rate) return this.#disprove(series);
    // The earliest time at which the service may have refused the first one.
    const seconds = Math.max(1, now - series.sentAt) / 1000;
    series.allowed = Math.max(series.allowed, (series.accepted - BURST_ALLOWANCE) / seconds);
    this.#cuts += 1;
    if (this.#cuts <= MAX_INEFFECTIVE_CUTS && this.#share === 0) return 'cut';
    if (this.#answers >= MIN_ANSWERS) return this.#halve();
    const areMost =
      this.#refused >= MIN_REFUSALS && this.#refused >= NEARLY_ALL_SHARE * this.#answers;
    return areMost ? 'cut' : 'wait';
  }

  /** True once after `halve`, if that has ended the unexpected refusals. */
  takeHalvingHelped(): boolean {
    if (!this.#isHalved || this.#answers < MIN_ANSWERS) return false;
    this.#isHalved = false;
    return this.areExpected(0);
  }

  /** The rate was cut: requests from before say nothing about the new one. */
  cut(now: number): void {
    this.#cutAt = now;
    this.#startWindow();
    this.#isFirstWindow = true;
  }

  #halve(): Verdict {
    this.#isHalved = true;
    return 'halve';
  }

  #disprove({ rate, accepted, refused }: Series): Verdict {
    const answers = accepted + refused;
    const share = refused / answers;
    const deviation = Math.sqrt((share * (1 - share)) / answers);
    this.#share = Math.min(MAX_SHARE, share + deviation);
    this.#series = undefined;
    this.#cuts = 0;
    this.#isHalved = false;
    this.#startWindow();
    return { restore: rate };
  }

  #count(sentAt: number, refusals: number): void {
    if (sentAt <= this.#cutAt) return;
    this.#answers += 1;
    if (this.#isFirstWindow && this.#answers <= IGNORED_AFTER_CUT) return;
    this.#refused += refusals;
    if (this.#answers < WINDOW_ANSWERS) return;
    // If a cut has helped, part of the share was a limit after all.
    if (this.#isFirstWindow) this.#share = Math.min(this.#share, this.#refused / this.#answers);
    this.#startWindow();
  }

  #startWindow(): void {
    this.#answers = 0;
    this.#refused = 0;
    this.#isFirstWindow = false;
  }
}

/** Refusals that were taken for a limit, and the answers to requests since the first one. */
interface Series {
  /** When the first refusal arrived, and when its request was sent. */
  readonly since: number;
  readonly sentAt: number;
  /** The rate at the first one. */
  readonly rate: number;
  accepted: number;
  refused: number;
  /** A limit would have to allow at least this rate. */
  allowed: number;
}
