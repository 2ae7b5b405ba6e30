import { untilTurnsEnd } from '../clock.ts';
import { backoffMs, MAX_RETRY_AFTER_MS } from '../client/backoff.ts';
import { NoAnswer, Refusal } from '../client/index.ts';
import { RecordTakenError } from '../ledger/error.ts';
import { fillMember, type GradeAttempt } from '../contract/index.ts';
import type {
  AttemptLedger,
  CredentialKind,
  Outcome,
  PendingAttempt,
  RecordState,
  RunTarget,
} from '../ledger/ledger.ts';
import { type GradeClient, post, type PostResult } from './attempt.ts';
import { Semaphore } from './semaphore.ts';
import type { RateLimiter, Time } from './rate-limiter.ts';
import { type QueuedRecord, RecordQueue } from './record-queue.ts';

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

/** A record with its outcome, which is on disk. */
export interface SentRecord {
  /** The record as it was before. */
  readonly row: RecordState;
  readonly outcome: Outcome;
  /** The service's attempt record. */
  readonly record?: GradeAttempt | undefined;
}

export interface SenderSettings {
  readonly ledger: AttemptLedger;
  readonly client: GradeClient;
  readonly time: Time;
  readonly limiter: RateLimiter;
  readonly run: number;
  readonly target: Pick<RunTarget, 'url' | 'location' | 'context'>;
  readonly credential: CredentialKind;
  /** Maximum parallel requests. */
  readonly concurrency: number;
  /** Called for each record that is done. */
  readonly onSent: (sent: SentRecord) => void;
  /** Resolves when `onSent` can take more: it may be slower than the service. */
  readonly ready: () => Promise<void>;
  /** A response that could not be stored; this is its only copy. */
  readonly onLost: (lost: SentRecord) => void;
  /** Nobody has to send the record any more: it took effect, was refused, or is in doubt. */
  readonly onDone?: (row: RecordState) => void;
  /** Another worker has the record. */
  readonly onTaken?: (row: RecordState) => void;
  /** An older intent, by either clock, is withdrawn and made again. */
  readonly intentLifetimeMs?: number;
  /** Milliseconds since the epoch: unlike the monotonic clock, it advances while the machine sleeps. */
  readonly now?: () => number;
}

/** What a run does at the moment. */
export interface RunActivity {
  /** Requests without an answer. */
  readonly inFlight: number;
  /** Since the last answer, or since the first request, in ms. */
  readonly quietMs: number;
  /** For how long the service asked to send nothing, in ms from now; 0 if it did not. */
  readonly pausedMs: number;
}

/** The time by both clocks, in milliseconds. */
interface Times {
  readonly monotonic: number;
  readonly wall: number;
}

/** After this many tries (429, or no connection) while no other record is accepted, the run stops. */
const MAX_TRIES = 6;
const FIRST_WAIT_MS = { unconnected: 200, refused: 250 };
/**
 * While one record of a connection is being sent, the intent of the next one is being stored, so that
 * the connection does not wait for it. A kill leaves at most this many records per connection in doubt.
 */
const SLOTS_PER_CONNECTION = 2;
/** After a longer wait, the service may have closed a connection without this process having read it. */
const MAX_UNREAD_MS = 1000;
/** The same 403 this often in a row applies to all records: the run stops. */
const MAX_CONSECUTIVE_FORBIDDEN = 3;
/** This many consecutive records in doubt stop the run. */
const MAX_CONSECUTIVE_IN_DOUBT = 10;

/** Sends the records of a run in parallel, each with its intent on disk before the POST. */
export class Sender {
  readonly #settings: SenderSettings;
  #queue: RecordQueue | undefined;
  #stop: Stop | undefined;
  #forbidden: { text: string | undefined; times: number } = { text: undefined, times: 0 };
  #consecutiveInDoubt = 0;
  #mostInDoubt = MAX_CONSECUTIVE_IN_DOUBT;
  /** Requests that were not answered with 429. */
  #accepted = 0;
  #inFlight = 0;
  #answeredAt = 0;
  #pausedUntil = 0;
  /** Writes to the ledger that only `send` waits for. */
  #storing = 0;
  #allStored: (() => void) | undefined;
  readonly #connections: Semaphore;

  constructor(settings: SenderSettings) {
    this.#settings = settings;
    this.#connections = new Semaphore(settings.concurrency);
  }

  /** Sends records one at a time: the first one that is in doubt stops the run. */
  async sendCarefully(pages: AsyncIterable<readonly RecordState[]>): Promise<void> {
    this.#mostInDoubt = 1;
    await this.send(pages);
    this.#mostInDoubt = MAX_CONSECUTIVE_IN_DOUBT;
  }

  /** Sends all records; resolves when everything is on disk, with the reason if it stopped early. */
  async send(pages: AsyncIterable<readonly RecordState[]>): Promise<Stop | undefined> {
    const queue = new RecordQueue(pages, this.#settings.time);
    this.#queue = queue;
    if (this.#stop) queue.close();
    const slots = SLOTS_PER_CONNECTION * this.#settings.concurrency;
    const work = (): Promise<void> =>
      this.#work(queue).catch((error: unknown) => this.stop({ kind: 'failed', error }));
    await Promise.all(Array.from({ length: slots }, work));
    await this.#untilStored();
    return this.#stop;
  }

  /** Why nothing more is sent; undefined while it is sent. */
  get stopped(): Stop | undefined {
    return this.#stop;
  }

  get activity(): RunActivity {
    const now = this.#settings.time.monotonic();
    return {
      inFlight: this.#inFlight,
      quietMs: now - this.#answeredAt,
      pausedMs: Math.max(0, this.#pausedUntil - now),
    };
  }

  /** Sends nothing more; requests in flight are awaited. */
  stop(stop: Stop): void {
    this.#stop ??= stop;
    this.#queue?.close();
    this.#settings.limiter.close();
  }

  async #work(queue: RecordQueue): Promise<void> {
    const { limiter, ready } = this.#settings;
    for (;;) {
      const taken = queue.takeReady() ?? (await queue.take());
      if (!taken) return;
      if (!(await limiter.acquire())) return;
      await this.#attempt(queue, taken);
      await ready();
    }
  }

  async #attempt(queue: RecordQueue, taken: QueuedRecord): Promise<void> {
    const { client, time, target, limiter, intentLifetimeMs = Infinity } = this.#settings;
    const { row } = taken;
    const url = fillMember(target.url, row.member);
    const begun = this.#times();
    let attempt: PendingAttempt;
    try {
      attempt = await this.#intend(taken, url);
    } catch (error) {
      if (!(error instanceof RecordTakenError)) return this.stop({ kind: 'failed', error });
      this.#settings.onTaken?.(row);
      return queue.done();
    }
    await this.#connections.acquire();
    const isConnected = !limiter.isRecalled(begun.monotonic) || (await this.#connectAgain());
    let age = this.#msSince(begun);
    if (age > MAX_UNREAD_MS) {
      // After a suspension (SIGSTOP, a closed lid) a POST would otherwise go out on a connection that the
      // service has closed meanwhile, and be in doubt.
      await untilTurnsEnd();
      age = this.#msSince(begun);
    }
    if (!isConnected || this.#stop || age > intentLifetimeMs) {
      if (isConnected) this.#connections.release();
      void this.#withdraw(attempt);
      return queue.putBack(taken, time.monotonic());
    }
    const sentAt = time.monotonic();
    if (this.#inFlight === 0) this.#answeredAt = sentAt;
    this.#inFlight += 1;
    const posted = await post(client, url, row.body);
    this.#inFlight -= 1;
    this.#answeredAt = time.monotonic();
    this.#connections.release();
    const retryAt = this.#handleAnswer(posted, taken, sentAt);
    const record = 'recorded' in posted ? posted.recorded.attempt : undefined;
    void this.#settle(attempt, { row, outcome: posted.outcome, record }, retryAt);
    if (retryAt === undefined) queue.done();
    else queue.putBack({ ...taken, acceptedBefore: this.#accepted }, retryAt);
  }

  /**
   * Waits for the limiter again, without the connection meanwhile: what was let go before a cut would
   * otherwise be sent after it, be refused, and seem to be refused at the new rate. False after `stop`.
   */
  async #connectAgain(): Promise<boolean> {
    const { limiter, time } = this.#settings;
    for (;;) {
      this.#connections.release();
      if (!(await limiter.acquire())) return false;
      const letGoAt = time.monotonic();
      await this.#connections.acquire();
      if (!limiter.isRecalled(letGoAt)) return true;
    }
  }

  #times(): Times {
    return { monotonic: this.#settings.time.monotonic(), wall: this.#settings.now?.() ?? 0 };
  }

  /** By the clock for which more milliseconds have passed. */
  #msSince({ monotonic, wall }: Times): number {
    const now = this.#times();
    return Math.max(now.monotonic - monotonic, now.wall - wall);
  }

  #intend(taken: QueuedRecord, url: string): Promise<PendingAttempt> {
    const { ledger, target, credential, run } = this.#settings;
    const { location, context } = target;
    const { line, member, body } = taken.row;
    // An attempt was made each time the record was put back.
    const tries = taken.row.tries === undefined ? undefined : taken.row.tries + taken.tries;
    return ledger.intend({
      url,
      member,
      location,
      context,
      credential,
      body,
      run,
      line,
      tries,
    });
  }

  /** An intent that cannot be withdrawn stays in doubt. */
  async #withdraw(attempt: PendingAttempt): Promise<void> {
    this.#storing += 1;
    try {
      await this.#settings.ledger.withdraw(attempt);
    } catch (error) {
      this.stop({ kind: 'failed', error });
    } finally {
      this.#stored();
    }
  }

  /**
   * Not awaited: it shares a commit with the intent of the next record, which is awaited. So there are
   * no more records in doubt on disk than in flight.
   */
  async #settle(attempt: PendingAttempt, sent: SentRecord, retryAt?: number): Promise<void> {
    const { ledger, onSent, onLost, onDone } = this.#settings;
    let isKept = false;
    this.#storing += 1;
    try {
      await ledger.settle(attempt, sent.outcome);
      isKept = true;
      if (sent.outcome.kind !== 'not_sent') onDone?.(sent.row);
      if (retryAt === undefined) onSent(sent);
    } catch (error) {
      this.stop({ kind: 'failed', error });
      if (!isKept) onLost(sent);
    } finally {
      this.#stored();
    }
  }

  #untilStored(): Promise<void> {
    return new Promise((resolve) => {
      this.#allStored = resolve;
      if (this.#storing === 0) resolve();
    });
  }

  #stored(): void {
    this.#storing -= 1;
    if (this.#storing === 0) this.#allStored?.();
  }

  /** Slows down or stops as the response demands; returns when to try the record again, if at all. */
  #handleAnswer(posted: PostResult, taken: QueuedRecord, sentAt: number): number | undefined {
    const { limiter } = this.#settings;
    const error = 'error' in posted ? posted.error : undefined;
    const isPause = error instanceof Refusal || error instanceof NoAnswer;
    if (isPause && error.retryAfterMs !== undefined) {
      this.#pausedUntil = this.#settings.time.monotonic() + error.retryAfterMs;
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
    this.#accepted += 1;
    if (error instanceof NoAnswer && error.status === 503) this.#slowDown(error, sentAt);
    else limiter.accepted(sentAt);
    const isAnswer = error === undefined || error instanceof Refusal || error instanceof NoAnswer;
    if (!isAnswer) this.stop({ kind: 'failed', error });
    if (error instanceof Refusal && error.status === 401) this.stop({ kind: 'refused', error });
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
      this.stop({ kind: 'refused', error });
  }

  #countInDoubt(error: unknown): void {
    this.#consecutiveInDoubt =
      error instanceof NoAnswer && error.inDoubt ? this.#consecutiveInDoubt + 1 : 0;
    const doubts = this.#consecutiveInDoubt;
    if (doubts >= this.#mostInDoubt) this.stop({ kind: 'refused', error, doubts });
  }

  #retryAt(error: unknown, taken: QueuedRecord, waitMs: number): number | undefined {
    if (!this.#waitsTooLong(error, waitMs) && this.#isHopeless(taken)) {
      this.stop({ kind: 'refused', error });
    }
    // A timer may fire a fraction of a millisecond early.
    return this.#stop ? undefined : this.#settings.time.monotonic() + waitMs + 1;
  }

  /** While others are accepted, a record may be refused at random, and is tried again. */
  #isHopeless({ tries, acceptedBefore }: QueuedRecord): boolean {
    return tries + 1 >= MAX_TRIES && this.#accepted === acceptedBefore;
  }

  #waitsTooLong(error: unknown, waitMs: number): boolean {
    if (waitMs <= MAX_RETRY_AFTER_MS) return false;
    this.stop({ kind: 'refused', error, waitMs });
    return true;
  }
}
