import { backoffMs, MAX_RETRY_AFTER_MS } from '../client/backoff.ts';
import { NoAnswer, Refusal } from '../client/index.ts';
import type { PostResult } from './attempt.ts';
import type { RateLimiter, Time } from './rate-limiter.ts';
import type { QueuedRecord } from './record-queue.ts';

/** Why a run ends before all its records are sent. */
export type Stop =
  /**
   * `output_closed`: the reader of the output is gone. `stop_requested`: all workers of the shared
   * run were stopped.
   */
  | { readonly kind: 'interrupted' | 'output_closed' | 'stop_requested' }
  /**
   * 401, three times the same 403, no connection, a wait that is too long (`waitMs`), or consecutive
   * records in doubt (`doubts` of them).
   */
  | {
      readonly kind: 'refused';
      readonly error: unknown;
      readonly waitMs?: number;
      readonly doubts?: number;
    }
  /** The ledger cannot be written, or something unexpected happened. */
  | { readonly kind: 'failed'; readonly error: unknown };

/** The reason of a signal that stops a run for something else than an interrupt. */
export class StopReason extends Error {
  override readonly name = 'StopReason';
  readonly stop: Stop;

  constructor(stop: Stop) {
    super(`the run was stopped: ${stop.kind}`);
    this.stop = stop;
  }
}

/** After this many tries (429, or no connection) while no other record is accepted, the run stops. */
const MAX_TRIES = 6;
const FIRST_WAIT_MS = { unconnected: 200, refused: 250 };
/** The same 403 this often in a row applies to all records: the run stops. */
const MAX_CONSECUTIVE_FORBIDDEN = 3;
/** This many consecutive records in doubt stop the run. */
const MAX_CONSECUTIVE_IN_DOUBT = 10;

export interface ResponseHandlerSettings {
  readonly limiter: RateLimiter;
  readonly time: Time;
  readonly stop: (stop: Stop) => void;
  readonly isStopped: () => boolean;
}

/** Makes a run slow down, pause or stop as its responses demand ("Grade submission"). */
export class ResponseHandler {
  readonly #settings: ResponseHandlerSettings;
  #forbidden: { text: string | undefined; times: number } = { text: undefined, times: 0 };
  #consecutiveInDoubt = 0;
  /** Whether the first record in doubt stops the run. */
  isCareful = false;
  /** Requests that were not answered with 429. */
  accepted = 0;
  /** By the monotonic clock. */
  pausedUntil = 0;

  constructor(settings: ResponseHandlerSettings) {
    this.#settings = settings;
  }

  /** Slows down or stops as the response demands; returns when to try the record again, if at all. */
  handle(posted: PostResult, taken: QueuedRecord, sentAt: number): number | undefined {
    const { limiter } = this.#settings;
    const error = posted.kind === 'failed' ? posted.error : undefined;
    const isPause = error instanceof Refusal || error instanceof NoAnswer;
    if (isPause && error.retryAfterMs !== undefined) {
      this.pausedUntil = this.#settings.time.monotonic() + error.retryAfterMs;
    }
    this.#countForbidden(error);
    this.#countInDoubt(error);
    if (error instanceof Refusal && error.status === 429) {
      const waitMs = error.retryAfterMs ?? backoffMs(FIRST_WAIT_MS.refused, taken.tries);
      limiter.refused(sentAt, waitMs);
      if (error.retryAfterMs !== undefined) limiter.pauseAsked(error.retryAfterMs);
      return this.#retryAt(error, taken, waitMs);
    }
    if (error instanceof NoAnswer && !error.inDoubt) {
      const waitMs = backoffMs(FIRST_WAIT_MS.unconnected, taken.tries);
      limiter.unconnected(waitMs);
      return this.#retryAt(error, taken, waitMs);
    }
    this.accepted += 1;
    if (error instanceof NoAnswer && error.status === 503) this.#slowDown(error, sentAt);
    else limiter.accepted(sentAt);
    const isAnswer = error === undefined || error instanceof Refusal || error instanceof NoAnswer;
    if (!isAnswer) this.#settings.stop({ kind: 'failed', error });
    if (error instanceof Refusal && error.status === 401)
      this.#settings.stop({ kind: 'refused', error });
    return undefined;
  }

  #slowDown(error: NoAnswer, sentAt: number): void {
    const { limiter } = this.#settings;
    limiter.overloaded(sentAt);
    if (error.retryAfterMs === undefined || this.#waitsTooLong(error, error.retryAfterMs)) return;
    limiter.hold(error.retryAfterMs);
    limiter.pauseAsked(error.retryAfterMs);
  }

  #countForbidden(error: unknown): void {
    const text = error instanceof Refusal && error.status === 403 ? error.text : undefined;
    const times = text === this.#forbidden.text ? this.#forbidden.times + 1 : 1;
    this.#forbidden = { text, times };
    if (text !== undefined && times >= MAX_CONSECUTIVE_FORBIDDEN)
      this.#settings.stop({ kind: 'refused', error });
  }

  #countInDoubt(error: unknown): void {
    this.#consecutiveInDoubt =
      error instanceof NoAnswer && error.inDoubt ? this.#consecutiveInDoubt + 1 : 0;
    const doubts = this.#consecutiveInDoubt;
    if (doubts >= (this.isCareful ? 1 : MAX_CONSECUTIVE_IN_DOUBT))
      this.#settings.stop({ kind: 'refused', error, doubts });
  }

  #retryAt(error: unknown, taken: QueuedRecord, waitMs: number): number | undefined {
    if (!this.#waitsTooLong(error, waitMs) && this.#isHopeless(taken)) {
      this.#settings.stop({ kind: 'refused', error });
    }
    // A timer may fire a fraction of a millisecond early.
    return this.#settings.isStopped() ? undefined : this.#settings.time.monotonic() + waitMs + 1;
  }

  /** While others are accepted, a record may be refused at random, and is tried again. */
  #isHopeless({ tries, acceptedBefore }: QueuedRecord): boolean {
    return tries + 1 >= MAX_TRIES && this.accepted === acceptedBefore;
  }

  #waitsTooLong(error: unknown, waitMs: number): boolean {
    if (waitMs <= MAX_RETRY_AFTER_MS) return false;
    this.#settings.stop({ kind: 'refused', error, waitMs });
    return true;
  }
}
