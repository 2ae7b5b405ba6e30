/**
 * How a run is sent:
 * 1. Each connection sends one record after the other. While it waits for an answer, the intent of its
 *    next record is stored, so that a kill leaves at most two records per connection in doubt.
 * 2. `#due` yields the records at the pace: those whose wait is over first, then fresh ones.
 * 3. The pace is a token bucket, at first without a limit but that of `--rate`. A window with more than
 *    15 % of 429 cuts the rate to what was accepted, at most by half; each quiet second adds a twentieth.
 * 4. A record that was refused with 429 waits for its Retry-After, and others are sent meanwhile. All
 *    wait if none is accepted, if there is no connection, and after 503. A long pause that the service
 *    asks for holds the other workers too.
 * 5. A record is sent again only after 429, without a connection, or if its intent was withdrawn: after
 *    a stop, while all wait, or when it is too old. Any other answer, and none, is its outcome.
 */
import { sleepUnlessAborted, untilTurnsEnd } from '../../clock.ts';
import { backoffMs, MAX_RETRY_AFTER_MS } from '../../client/backoff.ts';
import { fillMember } from '../../contract/index.ts';
import { RecordTakenError } from '../../ledger/error.ts';
import type { PendingAttempt, RecordState, RunClaim, RunRecord } from '../../ledger/ledger.ts';
import { post, type PostResult } from '../attempt.ts';
import type { RunActivity, RunEvents, RunOptions, SentRecord, Stop } from '../run-options.ts';
import { StopRules } from '../stop-rules.ts';
import { Pace } from './pace.ts';

/** A record that was tried so often, without another answer meanwhile, stops the run. */
const MAX_TRIES = 6;
const FIRST_WAIT_MS = { unconnected: 200, limited: 250, overloaded: 1000 };
/** After a longer wait, the service may have closed a connection without this process having read it. */
const MAX_UNREAD_MS = 1000;
/** A longer pause that the service asks for holds all workers; a limit per second asks for none. */
const LONG_PAUSE_MS = 1500;
/** Longer than any wait: it is woken before. */
const UNTIL_WOKEN_MS = 3_600_000;

/** A record to be sent. */
interface Due {
  readonly row: RecordState;
  /** By the monotonic clock. */
  readonly at: number;
  /** The intents that were stored for it here. */
  readonly intents: number;
  /** How often it was refused with 429 or found no connection, and how many were answered before. */
  readonly tries: number;
  readonly answered: number;
}

/** A record whose intent is stored, and when that began by both clocks. */
interface Intended {
  readonly due: Due;
  readonly url: string;
  readonly attempt: PendingAttempt;
  readonly begun: Readonly<Record<'monotonic' | 'wall', number>>;
}

export interface SenderOptions
  extends Pick<RunOptions, 'client' | 'credential' | 'rate'>, RunEvents {
  readonly clock: NonNullable<RunOptions['clock']>;
  readonly concurrency: number;
  readonly ledger: Pick<RunOptions['ledger'], 'intend' | 'storeOutcome' | 'withdraw'>;
  readonly run: Pick<RunRecord, 'id' | 'target' | 'credential'>;
  /** What the records are part of; `intentLifetimeMs` counts by either clock. */
  readonly claim: Pick<RunClaim, 'done' | 'intentLifetimeMs' | 'pace'>;
}

/** Sends the records of a run in parallel, each with its intent on disk before the POST. */
export class Sender {
  readonly #options: SenderOptions;
  readonly #clock: SenderOptions['clock'];
  readonly #pace: Pace;
  readonly rules = new StopRules();
  /** Why nothing more is sent; undefined while it is sent. */
  stopped: Stop | undefined;
  /** Records to be sent again, by their time. */
  readonly #waiting: Due[] = [];
  /** Records that were yielded, and may be put back. */
  #inHand = 0;
  /** While `#due` sleeps. */
  #wakeUp: AbortController | undefined;
  #inFlight = 0;
  #answeredAt = 0;
  #pausedUntil = 0;
  /** Requests that were answered, and not with 429. */
  #answered = 0;
  /** Writes to the ledger that only `send` waits for. */
  readonly #storing = new Set<Promise<void>>();

  constructor(options: SenderOptions) {
    const { clock, rate = Infinity, claim } = options;
    this.#options = options;
    this.#clock = clock;
    const cap = (): number => Math.min(rate, claim.pace?.rate ?? Infinity);
    this.#pace = new Pace(clock.monotonic, cap, claim.pace?.share);
    claim.pace?.onHold((ms) => this.#pace.hold(ms));
  }

  /** Sends all records; resolves when everything is on disk, with the reason if it stopped early. */
  async send(records: AsyncIterator<RecordState>): Promise<Stop | undefined> {
    const due = this.#due(records);
    const length = this.#options.concurrency;
    await Promise.all(Array.from({ length }, () => this.#work(due)));
    await Promise.all(this.#storing);
    return this.stopped;
  }

  get activity(): RunActivity {
    const now = this.#clock.monotonic();
    const pausedMs = Math.max(0, this.#pausedUntil - now);
    return { inFlight: this.#inFlight, quietMs: now - this.#answeredAt, pausedMs };
  }

  /** Sends nothing more; requests in flight are awaited. */
  stop(stop: Stop): void {
    this.stopped ??= stop;
    this.#wakeUp?.abort();
  }

  /** One connection. */
  async #work(records: AsyncGenerator<Due, undefined>): Promise<void> {
    let next = this.#intend(records);
    for (let intended = await next; intended; intended = await next) {
      next = this.#intend(records);
      await this.#send(intended);
      await this.#options.ready?.();
    }
  }

  async *#due(fresh: AsyncIterator<RecordState>): AsyncGenerator<Due, undefined> {
    let isRead = false;
    while (!this.stopped) {
      const nextMs = (this.#waiting[0]?.at ?? Infinity) - this.#clock.monotonic();
      let due = nextMs <= 0 ? this.#waiting.shift() : undefined;
      if (!due && !isRead) {
        const { value: row, done = false } = await fresh.next();
        isRead = done;
        // Meanwhile a record may have been put back.
        if (done) continue;
        due = { row, at: 0, intents: 0, tries: 0, answered: 0 };
      }
      if (due) {
        this.#inHand += 1;
        for (let ms = this.#pace.take(); ms > 0 && !this.stopped; ms = this.#pace.take())
          await this.#sleep(ms);
        if (!this.stopped) yield due;
      } else if (isRead) {
        if (this.#waiting.length + this.#inHand === 0) break;
        await this.#sleep(nextMs);
      }
    }
    return undefined;
  }

  /** Until it is woken, or `ms` have passed. Only `#due` sleeps. */
  async #sleep(ms: number): Promise<void> {
    this.#wakeUp = new AbortController();
    const most = Math.min(ms, UNTIL_WOKEN_MS);
    await sleepUnlessAborted(this.#clock, Math.ceil(most), this.#wakeUp.signal);
    this.#wakeUp = undefined;
  }

  #done(): void {
    this.#inHand -= 1;
    this.#wakeUp?.abort();
  }

  #putBack(due: Due, afterMs: number): void {
    const at = this.#clock.monotonic() + afterMs;
    const before = this.#waiting.findLastIndex((other) => other.at <= at);
    this.#waiting.splice(before + 1, 0, { ...due, at });
    this.#done();
  }

  /** The next record of a connection, once its intent is stored. */
  async #intend(records: AsyncGenerator<Due, undefined>): Promise<Intended | undefined> {
    const { ledger, run, credential = run.credential, claim } = this.#options;
    const { url, location, context } = run.target;
    try {
      for (;;) {
        const { value: due } = await records.next();
        if (!due) return undefined;
        const { line, member, body } = due.row;
        const tries = due.row.tries === undefined ? undefined : due.row.tries + due.intents;
        const grade = { url: fillMember(url, member), member, body, run: run.id, line, tries };
        const begun = { monotonic: this.#clock.monotonic(), wall: this.#clock.now() };
        try {
          const attempt = await ledger.intend({ ...grade, location, context, credential });
          return { due: { ...due, intents: due.intents + 1 }, url: grade.url, attempt, begun };
        } catch (error) {
          if (!(error instanceof RecordTakenError)) throw error;
          claim.done(due.row);
          this.#done();
        }
      }
    } catch (error) {
      this.stop({ kind: 'failed', error });
      return undefined;
    }
  }

  async #send({ due, url, attempt, begun }: Intended): Promise<void> {
    const { client, claim, ledger } = this.#options;
    const { row } = due;
    // After a suspension (SIGSTOP, a closed lid) a POST would otherwise go out on a connection that the
    // service has closed meanwhile, and be in doubt.
    if (this.#ageOf(begun) > MAX_UNREAD_MS) await untilTurnsEnd();
    if (this.stopped || this.#pace.isHeld || this.#ageOf(begun) > claim.intentLifetimeMs) {
      this.#store(() => ledger.withdraw(attempt));
      return this.#putBack(due, 0);
    }
    if (this.#inFlight === 0) this.#answeredAt = this.#clock.monotonic();
    this.#inFlight += 1;
    const posted = await post(client, url, row.body);
    this.#inFlight -= 1;
    this.#answeredAt = this.#clock.monotonic();
    const waitMs = this.#judge(posted, due, begun.monotonic);
    const record = posted.kind === 'recorded' ? posted.recorded.attempt : undefined;
    this.#storeOutcome(attempt, { row, outcome: posted.outcome, record }, waitMs !== undefined);
    if (waitMs === undefined) return this.#done();
    // A timer may fire a fraction of a millisecond early.
    this.#putBack({ ...due, tries: due.tries + 1, answered: this.#answered }, waitMs + 1);
  }

  /** By the clock for which more milliseconds have passed. */
  #ageOf({ monotonic, wall }: Intended['begun']): number {
    return Math.max(this.#clock.monotonic() - monotonic, this.#clock.now() - wall);
  }

  /** Stops or slows down as an answer demands; returns after how many ms to send its record again, if at all. */
  #judge(posted: PostResult, due: Due, allowedAt: number): number | undefined {
    const stop = this.rules.stopFor(posted);
    if (stop) this.stop(stop);
    const { error, wait } = posted.kind === 'failed' ? posted : {};
    const isOver = wait === undefined || wait.cause === 'overloaded';
    if (isOver) this.#answered += 1;
    if (wait === undefined) return void this.#pace.answered(allowedAt);
    const { cause, askedMs } = wait;
    const waitMs = askedMs ?? backoffMs(FIRST_WAIT_MS[cause], due.tries);
    if (askedMs !== undefined) this.#pausedUntil = this.#answeredAt + askedMs;
    if (waitMs > MAX_RETRY_AFTER_MS) this.stop({ kind: 'service', error, waitMs });
    else if (cause === 'limited') this.#pace.answered(allowedAt, waitMs);
    else this.#pace.hold(waitMs);
    this.#share(askedMs ?? 0);
    // While others are answered, a record may be refused at random.
    const isHopeless = due.tries + 1 >= MAX_TRIES && this.#answered === due.answered;
    if (isHopeless && !isOver) this.stop({ kind: 'service', error });
    return isOver || this.stopped ? undefined : waitMs;
  }

  #share(askedMs: number): void {
    const all = this.#options.claim.pace;
    all?.reportLimit(this.#pace.learnt);
    if (!all || askedMs < LONG_PAUSE_MS || askedMs > MAX_RETRY_AFTER_MS) return;
    this.#pace.hold(askedMs);
    // If the ledger's server is away, the other workers learn of the pause by themselves.
    all.hold(askedMs).catch(() => {});
  }

  /**
   * Not awaited: it shares a commit with the intent of the next record, which is awaited. So there are
   * no more records in doubt on disk than in flight.
   */
  #storeOutcome(attempt: PendingAttempt, sent: SentRecord, isAgain: boolean): void {
    const { ledger, claim, onSent, onLost } = this.#options;
    this.#store(async () => {
      await ledger.storeOutcome(attempt, sent.outcome).catch((error: unknown) => {
        onLost?.(sent);
        throw error;
      });
      if (sent.outcome.kind !== 'not_sent') claim.done(sent.row);
      if (!isAgain) onSent?.(sent);
    });
  }

  /** What cannot be stored stops the run; an intent that cannot be withdrawn stays in doubt. */
  #store(write: () => Promise<void>): void {
    const storing = write()
      .catch((error: unknown) => this.stop({ kind: 'failed', error }))
      .finally(() => this.#storing.delete(storing));
    this.#storing.add(storing);
  }
}
