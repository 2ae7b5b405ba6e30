import { untilTurnsEnd } from '../clock.ts';
import { RecordTakenError } from '../ledger/error.ts';
import { fillMember, type GradeAttempt } from '../contract/index.ts';
import type {
  AttemptLedger,
  CredentialKind,
  Outcome,
  PendingAttempt,
  RecordState,
  RunClaim,
  RunTarget,
} from '../ledger/ledger.ts';
import { type GradeClient, post } from './attempt.ts';
import type { RateLimiter, Time } from './rate-limiter.ts';
import { type QueuedRecord, RecordQueue } from './record-queue.ts';
import { ResponseHandler, type Stop } from './response-handler.ts';

/** A record with its outcome, which is on disk. */
export interface SentRecord {
  readonly row: RecordState;
  readonly outcome: Outcome;
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
  /** What the records are part of; `intentLifetimeMs` counts by either clock. */
  readonly claim: Pick<RunClaim, 'done' | 'taken' | 'intentLifetimeMs'>;
  /** Milliseconds since the epoch: unlike the monotonic clock, it advances while the machine sleeps. */
  readonly now: () => number;
}

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

/**
 * While one record of a connection is being sent, the intent of the next one is being stored, so that
 * the connection does not wait for it. A kill leaves at most this many records per connection in doubt.
 */
const SLOTS_PER_CONNECTION = 2;
/** After a longer wait, the service may have closed a connection without this process having read it. */
const MAX_UNREAD_MS = 1000;

/** Sends the records of a run in parallel, each with its intent on disk before the POST. */
export class Sender {
  readonly #settings: SenderSettings;
  #queue: RecordQueue | undefined;
  #stop: Stop | undefined;
  #inFlight = 0;
  #answeredAt = 0;
  readonly #responses: ResponseHandler;
  /** Writes to the ledger that only `send` waits for. */
  #storing = 0;
  #allStored: (() => void) | undefined;
  readonly #connections: Semaphore;

  constructor(settings: SenderSettings) {
    this.#settings = settings;
    this.#connections = new Semaphore(settings.concurrency);
    this.#responses = new ResponseHandler({
      limiter: settings.limiter,
      time: settings.time,
      stop: (stop) => this.stop(stop),
      isStopped: () => this.#stop !== undefined,
    });
  }

  /** Sends records one at a time: the first one that is in doubt stops the run. */
  async sendCarefully(pages: AsyncIterable<readonly RecordState[]>): Promise<void> {
    this.#responses.isCareful = true;
    await this.send(pages);
    this.#responses.isCareful = false;
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
      pausedMs: Math.max(0, this.#responses.pausedUntil - now),
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
    const { client, time, target, limiter, claim } = this.#settings;
    const { row } = taken;
    const url = fillMember(target.url, row.member);
    const begun = this.#times();
    let attempt: PendingAttempt;
    try {
      attempt = await this.#intend(taken, url);
    } catch (error) {
      if (!(error instanceof RecordTakenError)) return this.stop({ kind: 'failed', error });
      claim.taken(row);
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
    if (!isConnected || this.#stop || age > claim.intentLifetimeMs) {
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
    const retryAt = this.#responses.handle(posted, taken, sentAt);
    const record = posted.kind === 'recorded' ? posted.recorded.attempt : undefined;
    void this.#settle(attempt, { row, outcome: posted.outcome, record }, retryAt);
    if (retryAt === undefined) queue.done();
    else queue.putBack({ ...taken, acceptedBefore: this.#responses.accepted }, retryAt);
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
    return { monotonic: this.#settings.time.monotonic(), wall: this.#settings.now() };
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
    const { ledger, claim, onSent, onLost } = this.#settings;
    let isKept = false;
    this.#storing += 1;
    try {
      await ledger.settle(attempt, sent.outcome);
      isKept = true;
      if (sent.outcome.kind !== 'not_sent') claim.done(sent.row);
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
}

/** Limits how many run at once; others wait, first come, first served. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves when a slot is free; the caller holds it until `release`. */
  async acquire(): Promise<void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => void this.#waiting.push(resolve));
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}
