/** What a pace needs of the world: a clock in milliseconds, and a way to wait. */
export interface Time {
  readonly now: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

const WINDOW_MS = 1000;
const SLOTS = 20;

/** How many were accepted in the last second, to a twentieth of it. */
class Accepted {
  readonly #counts = Array.from({ length: SLOTS }, () => 0);
  #slot = 0;

  add(now: number): void {
    this.#moveTo(now);
    const index = this.#slot % SLOTS;
    this.#counts[index] = (this.#counts[index] as number) + 1;
  }

  perSecond(now: number): number {
    this.#moveTo(now);
    return this.#counts.reduce((sum, each) => sum + each, 0);
  }

  #moveTo(now: number): void {
    const slot = Math.floor((now / WINDOW_MS) * SLOTS);
    // A clock that was set back is taken for one that stands still.
    const passed = Math.min(SLOTS, slot - this.#slot);
    for (let each = 1; each <= passed; each += 1) this.#counts[(this.#slot + each) % SLOTS] = 0;
    this.#slot = Math.max(slot, this.#slot);
  }
}

/** How fast a pace goes up again when nothing is refused. */
interface Climb {
  readonly everyMs: number;
  readonly factor: number;
}

/** While nobody knows yet what is allowed. */
const SEARCH: Climb = { everyMs: 100, factor: 2 };
/** Once two refusals in a row agreed on what is allowed. */
const PROBE: Climb = { everyMs: 1000, factor: 1.05 };
/** After the service was overloaded: each answer too many leaves a row in doubt. */
const RECOVER: Climb = { everyMs: 1000, factor: 1.25 };

/** Of what was accepted in a second, this much is surely allowed. */
const CAUTION = 0.9;
const SAME = 0.25;
const SLOWEST_PER_SECOND = 0.1;
const SLOWEST_OVERLOADED_PER_SECOND = 5;
/** So many refusals without an acceptance between them: the allowance is used up for now. */
const USED_UP = 5;
/** What may go out at once, as a share of a second's allowance, when a turn came late. */
const BURST_SHARE = 0.01;

/**
 * Says when a request may go out. It starts without a limit of its own and learns one from the
 * service's refusals: it goes on at the rate that was accepted, and feels its way up from there.
 * Waiting for a refused request's own Retry-After is its sender's part.
 */
export class Pace {
  readonly #time: Time;
  readonly #cap: number;
  readonly #accepted = new Accepted();
  #rate: number;
  #climb = SEARCH;
  #tokens = 1;
  #filledAt: number;
  #changedAt = -Infinity;
  #cutAt = -Infinity;
  #acceptedSinceChange = 0;
  #refusedInRow = 0;
  #lastMeasured = 0;
  #heldUntil = 0;
  #waiting: ((may: boolean) => void)[] = [];
  #serving = false;
  #closed = false;
  #nap = new AbortController();

  /** `cap`: never more than this many a second. */
  constructor(time: Time, cap = Infinity) {
    this.#time = time;
    this.#cap = cap;
    this.#rate = cap;
    this.#filledAt = time.now();
  }

  /** Resolves when one request may go out; with false when the pace has been closed. */
  turn(): Promise<boolean> | boolean {
    if (this.#closed) return false;
    if (this.#rate === Infinity && this.#heldUntil === 0) return true;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (!this.#serving) void this.#serve();
    });
  }

  /** A request was answered, and not refused for its time. */
  accepted(): void {
    const now = this.#time.now();
    this.#accepted.add(now);
    this.#refusedInRow = 0;
    this.#acceptedSinceChange += 1;
    if (this.#rate < this.#cap) this.#climbOn(now);
  }

  /** A request that went out at `sentAt` was refused for its time; it may be repeated after `waitMs`. */
  refused(sentAt: number, waitMs: number): void {
    const now = this.#time.now();
    // What was on its way when the pace was cut says nothing of the new one.
    if (sentAt <= this.#cutAt) return;
    this.#cutAt = now;
    this.#refusedInRow += 1;
    const measured = this.#accepted.perSecond(now);
    const agreed = Math.abs(measured - this.#lastMeasured) <= SAME * this.#lastMeasured;
    this.#climb = agreed ? PROBE : SEARCH;
    this.#lastMeasured = measured;
    if (measured >= USED_UP) this.#change(now, CAUTION * measured);
    else this.#change(now, Math.min(this.#rate, measured + 1) / 2);
    if (this.#refusedInRow >= USED_UP) this.hold(waitMs);
  }

  /** The service is overloaded: it answered, but not with what was asked for. */
  overloaded(): void {
    const now = this.#time.now();
    if (now - this.#cutAt < RECOVER.everyMs) return;
    this.#cutAt = now;
    this.#climb = RECOVER;
    const half = Math.min(this.#rate, this.#accepted.perSecond(now)) / 2;
    this.#change(now, Math.max(SLOWEST_OVERLOADED_PER_SECOND, half));
  }

  /** Lets nothing out for so long. */
  hold(ms: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, this.#time.now() + ms);
    this.#wake();
  }

  /** Lets nothing out any more; who waits is told. */
  close(): void {
    this.#closed = true;
    for (const resolve of this.#waiting.splice(0)) resolve(false);
    this.#wake();
  }

  #climbOn(now: number): void {
    const { everyMs, factor } = this.#climb;
    const isTime = now - this.#changedAt >= everyMs;
    // A pace that the sender does not use up has shown nothing.
    const isUsed = this.#acceptedSinceChange >= Math.min(10, (this.#rate * everyMs) / 2000);
    if (isTime && isUsed) this.#change(now, this.#rate * factor);
  }

  #change(now: number, rate: number): void {
    this.#rate = Math.min(this.#cap, Math.max(SLOWEST_PER_SECOND, rate));
    this.#changedAt = now;
    this.#acceptedSinceChange = 0;
    this.#wake();
  }

  async #serve(): Promise<void> {
    this.#serving = true;
    while (this.#waiting.length > 0) {
      const waitMs = this.#takeToken(this.#time.now());
      if (waitMs > 0) await this.#sleep(waitMs);
      else this.#waiting.shift()?.(true);
    }
    this.#serving = false;
  }

  /** 0 when one may go out now, else how long to wait for it. */
  #takeToken(now: number): number {
    if (now < this.#heldUntil) return this.#heldUntil - now;
    this.#heldUntil = 0;
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

  #wake(): void {
    this.#nap.abort();
  }
}
