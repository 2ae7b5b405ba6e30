import { TransportError } from './transport.ts';

/** The minimum rate of a transfer: 1 KB/s. */
const MIN_BYTES_PER_MS = 1;
/** How often the progress is sampled within the deadline. */
const SAMPLES = 8;
/** How long a transport may take to confirm that it is cancelled. */
const GRACE_MS = 1000;

export interface DeadlineSettings {
  /** Milliseconds of a monotonic clock, for durations. */
  readonly monotonic: () => number;
  /** Calls `act` after `ms` milliseconds, unless the returned function is called before. */
  readonly setTimer: (ms: number, act: () => void) => () => void;
  /**
   * Maximum milliseconds of the whole call, from the first byte sent to the last one received. The bytes
   * of a file may take longer, at 1 KB/s or more over that time.
   */
  readonly timeoutMs: number;
  /** Cancels every call. */
  readonly signal?: AbortSignal;
  /** Cancels each call in progress: one listener on `signal` serves any number of calls. */
  readonly calls: Set<() => void>;
}

/**
 * The deadline of a call, started when it is made. It passes when, over `timeoutMs`, fewer than 1 KB/s
 * of a file were transferred: for a call without a file after `timeoutMs`, for a file of any size only
 * if it stalls.
 */
export class Deadline {
  /** By the monotonic clock. */
  readonly startedAt: number;
  readonly #settings: DeadlineSettings;
  #transfer: Transfer | undefined;
  #hasPassed = false;
  #cancel: (() => void) | undefined;
  #giveUp: ((error: Error) => void) | undefined;
  #stopTimer: () => void;

  constructor(settings: DeadlineSettings) {
    this.#settings = settings;
    this.startedAt = settings.monotonic();
    settings.calls.add(this.#cancelExchange);
    this.#stopTimer = settings.setTimer(settings.timeoutMs, () => this.#check());
  }

  get hasPassed(): boolean {
    return this.#hasPassed;
  }

  get movedBytes(): number {
    return this.#transfer?.total ?? 0;
  }

  /** Sets how the exchange is cancelled, at the deadline or when the signal aborts. */
  watch(cancel: () => void): void {
    this.#cancel = cancel;
    if (this.#settings.signal?.aborted) this.#cancelExchange();
  }

  /** Reports transferred bytes of a file. */
  moved(bytes: number): void {
    const { timeoutMs, monotonic } = this.#settings;
    this.#transfer ??= new Transfer(timeoutMs, this.startedAt);
    this.#transfer.moved(bytes, monotonic());
  }

  /** Rejects soon after the deadline, even if the transport does not confirm the cancellation. */
  limit<Value>(work: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#giveUp = reject;
      work.then(resolve, reject);
    });
  }

  clear(): void {
    this.#stopTimer();
    this.#settings.calls.delete(this.#cancelExchange);
  }

  #check(): void {
    const { timeoutMs, monotonic, setTimer } = this.#settings;
    if (this.#transfer?.isAlive(monotonic())) {
      this.#stopTimer = setTimer(timeoutMs / SAMPLES, () => this.#check());
      return;
    }
    this.#hasPassed = true;
    this.#cancelExchange();
  }

  readonly #cancelExchange = (): void => {
    this.#cancel?.();
    this.#stopTimer();
    this.#stopTimer = this.#settings.setTimer(GRACE_MS, () =>
      this.#giveUp?.(new TransportError('the request did not end', true)),
    );
  };
}

/** Measures whether enough bytes of a file were transferred over the last `spanMs`. */
class Transfer {
  readonly #spanMs: number;
  #total = 0;
  #lastAt = -Infinity;
  /** Samples of the total; the first is at, or a little before, the start of the span. */
  #samples: { readonly at: number; readonly total: number }[];

  constructor(spanMs: number, startedAt: number) {
    this.#spanMs = spanMs;
    this.#samples = [{ at: startedAt, total: 0 }];
  }

  get total(): number {
    return this.#total;
  }

  moved(bytes: number, now: number): void {
    this.#lastAt = now;
    this.#sample(now);
    this.#total += bytes;
  }

  isAlive(now: number): boolean {
    const from = now - this.#spanMs;
    this.#sample(now);
    const first = this.#samples.findLastIndex(({ at }) => at <= from);
    this.#samples = this.#samples.slice(Math.max(0, first));
    const before = this.#samples[0]?.total ?? 0;
    return this.#lastAt > from && this.#total - before >= this.#spanMs * MIN_BYTES_PER_MS;
  }

  #sample(at: number): void {
    const lastAt = this.#samples.at(-1)?.at ?? 0;
    if (at - lastAt >= this.#spanMs / SAMPLES) this.#samples.push({ at, total: this.#total });
  }
}

/** The largest piece of a file that still shows progress at the minimum rate. */
export function pieceBytes(timeoutMs: number): number {
  const most = 64 << 10;
  return Math.ceil(Math.min(most, Math.max(1024, timeoutMs * MIN_BYTES_PER_MS)));
}
