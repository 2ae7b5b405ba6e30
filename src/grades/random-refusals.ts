/** A series of refusals has ended when so many in a row were accepted. */
const SERIES_GAP = 1000;
/** How many times as fast as a limit allows requests must have been accepted to disprove it. */
const FASTER = 1.5;
/** What a limit that has just refused something may yet let through at once. */
const AT_ONCE = 4;
/** So many cuts, with no more than so many accepted between two of them, have hardly helped. */
const CUTS = 4;
const ACCEPTED_BETWEEN = 60;
/** From then on so many answers tell whether a cut helps; or so many refusals, if nearly all are. */
const ANSWERS = 20;
const REFUSALS = 5;
const NEARLY_ALL = 0.8;
/** The first few after a cut still meet an allowance that was used up before it. */
const SETTLING = 3;
/** The last so many answers are held against the known share. */
const WINDOW = 100;
/** Standard deviations above the share that are still chance, and refusals besides. */
const DEVIATIONS = 3;
const BESIDES = 1;
const GREATEST_SHARE = 0.95;
/** Of a service that has shown no limit, so much is taken for chance. */
const SMALL_SHARE = 0.01;
/** A run of refusals that is less likely than this is no chance. */
const UNLIKELY = 1e-4;

/** What a refusal says of the rate that it was met at. */
export type Verdict =
  | 'cut'
  /** Cuts have hardly helped, or a share is known: a deep one tells whether slowing down helps. */
  | 'halve'
  /** Too little was answered since the last cut. */
  | 'wait'
  /** No limit explains the refusals. All cuts were in vain: the rate before them, a second. */
  | { readonly restore: number };

/**
 * Tells refusals at random from a limit on rate. A limit refuses what comes too fast and nothing
 * else. Refusals at random keep their share, however slowly requests go out. So a refusal disproves
 * every limit below its rate once requests have been accepted faster than that since the refusals
 * began. The share that was refused is then known not to change with the rate, and only what exceeds
 * it is taken for a limit. Rates are requests a second, times are milliseconds.
 */
export class RandomRefusals {
  /** What is refused at random, however slowly requests go out. */
  #share = 0;
  /** Answers to what went out after the last cut; where a share is known, of one window. */
  #answers = 0;
  #refused = 0;
  #cutAt = -Infinity;
  #isFirstWindow = false;
  #series: Series | undefined;
  #acceptedInRow = 0;
  /** Cuts with few accepted in between. */
  #cuts = 0;
  #isHalved = false;

  /** A request that went out at `sentAt` was accepted. */
  accepted(sentAt: number): void {
    this.#acceptedInRow += 1;
    if (this.#series && sentAt > this.#series.since) this.#series.accepted += 1;
    this.#count(sentAt, 0);
  }

  /** A request that went out at `sentAt` was refused. */
  refused(sentAt: number): void {
    if (this.#series && sentAt > this.#series.since) this.#series.refused += 1;
    this.#count(sentAt, 1);
  }

  /** Whether the known share makes as many refusals likely as there were lately, at a rate. */
  areExpected(rate: number): boolean {
    const share = rate === Infinity ? Math.max(this.#share, SMALL_SHARE) : this.#share;
    if (share === 0) return this.#refused === 0;
    const expected = share * this.#answers;
    const deviation = Math.sqrt(expected * (1 - share));
    return this.#refused <= expected + DEVIATIONS * deviation + BESIDES;
  }

  /** So many refusals in a row may be chance. */
  get likelyInRow(): number {
    return this.#share === 0 ? 0 : Math.log(UNLIKELY) / Math.log(this.#share);
  }

  /** Judges a refusal that was not expected, of a request that went out at `sentAt`. */
  judge(now: number, rate: number, sentAt: number): Verdict {
    const acceptedInRow = this.#acceptedInRow;
    this.#acceptedInRow = 0;
    if (acceptedInRow > ACCEPTED_BETWEEN) this.#cuts = 0;
    if (!this.#series || acceptedInRow > SERIES_GAP) {
      this.#series = { since: now, sentAt, rate, accepted: 0, refused: 0, allowed: 0 };
      return this.#share === 0 || rate === Infinity ? 'cut' : this.#halve();
    }
    const series = this.#series;
    if (series.allowed > FASTER * rate) return this.#disprove(series);
    // The service may have refused the first one as early as this, and allowed others since.
    const seconds = Math.max(1, now - series.sentAt) / 1000;
    series.allowed = Math.max(series.allowed, (series.accepted - AT_ONCE) / seconds);
    this.#cuts += 1;
    if (this.#cuts <= CUTS && this.#share === 0) return 'cut';
    if (this.#answers >= ANSWERS) return this.#halve();
    const areMost = this.#refused >= REFUSALS && this.#refused >= NEARLY_ALL * this.#answers;
    return areMost ? 'cut' : 'wait';
  }

  /** Once after `halve`: whether that has ended the refusals, but those that are expected. */
  takeHelped(): boolean {
    if (!this.#isHalved || this.#answers < ANSWERS) return false;
    this.#isHalved = false;
    return this.areExpected(0);
  }

  /** The rate was cut: what went out before says nothing of the new one. */
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
    this.#share = Math.min(GREATEST_SHARE, share + deviation);
    this.#series = undefined;
    this.#cuts = 0;
    this.#isHalved = false;
    this.#startWindow();
    return { restore: rate };
  }

  #count(sentAt: number, refusals: number): void {
    if (sentAt <= this.#cutAt) return;
    this.#answers += 1;
    if (this.#isFirstWindow && this.#answers <= SETTLING) return;
    this.#refused += refusals;
    if (this.#answers < WINDOW) return;
    // Where a cut has helped, so much of the share was a limit after all.
    if (this.#isFirstWindow) this.#share = Math.min(this.#share, this.#refused / this.#answers);
    this.#startWindow();
  }

  #startWindow(): void {
    this.#answers = 0;
    this.#refused = 0;
    this.#isFirstWindow = false;
  }
}

/** Refusals that were taken for a limit, and what was answered to what went out since the first. */
interface Series {
  /** When the first one was met, and when its request had gone out. */
  readonly since: number;
  readonly sentAt: number;
  /** The rate at the first one. */
  readonly rate: number;
  accepted: number;
  refused: number;
  /** A limit would have to allow this rate at least. */
  allowed: number;
}
