import { NoAnswer, Refusal } from '../client/index.ts';
import { RowTakenError } from '../ledger/error.ts';
import { fillMark, type GradeAttempt } from '../contract/index.ts';
import type {
  AttemptLedger,
  CredentialKind,
  Outcome,
  RowRecord,
  RunTarget,
} from '../ledger/ledger.ts';
import { type GradeClient, post, type Posted } from './attempt.ts';
import { Semaphore } from './semaphore.ts';
import type { RateLimiter, Time } from './rate-limiter.ts';
import { type QueuedRecord, RecordQueue } from './record-queue.ts';

/** Why a run ends before its rows do. */
export type Stop =
  /** `asked`: of all workers of a shared run, by somebody else. */
  | { readonly kind: 'interrupted' | 'unheard' | 'asked' }
  /** 401, three times the same 403, no connection, or a wait that is too long (`waitMs`). */
  | { readonly kind: 'refused'; readonly error: unknown; readonly waitMs?: number }
  /** The ledger can keep nothing more, or something unexpected happened. */
  | { readonly kind: 'failed'; readonly error: unknown };

/** What became of a row, once that is on disk. */
export interface SentRecord {
  /** As it stood before. */
  readonly row: RowRecord;
  readonly outcome: Outcome;
  /** The service's record of it. */
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
  /** So many rows are on their way at once. */
  readonly concurrency: number;
  /** Told of each row that came to its end. */
  readonly onSent: (sent: SentRecord) => void;
  /** Resolves when there is room to tell more: who listens may be slower than the service. */
  readonly ready: () => Promise<void> | undefined;
  /** An answer that could not be kept: nobody else has it. */
  readonly onLost: (lost: SentRecord) => void;
  /** A row had an effect, or was refused, or is another worker's: nobody has to send it. */
  readonly onDone?: (row: RowRecord) => void;
  /** An intent that is older, by either clock, is withdrawn and made anew. */
  readonly intentLifetimeMs?: number;
  /** Milliseconds since the epoch: it goes on while the machine sleeps. */
  readonly now?: () => number;
}

/** A wait that is longer stops the run. */
const LONGEST_WAIT_MS = 60_000;
/** A row that was refused for its time so often, or found no connection, while no other got through. */
const MOST_TRIES = 6;
const FIRST_WAIT_MS = { unconnected: 200, refused: 250 };
const LONGEST_BACKOFF_MS = 8000;
/**
 * While one row of a connection is on its way, the next one's intent is on its way to the disk, so that
 * the connection need not wait for it. These are also the most rows that a kill can leave in doubt.
 */
const SLOTS_PER_CONNECTION = 2;
/** The same 403 so often in a row is one for all rows. */
const SAME_REFUSALS = 3;
/** So many rows in a row without a usable answer are enough to have in doubt. */
export const MOST_DOUBTS = 50;

/** Sends the rows of a run, several at a time, each with its intent on disk before the POST. */
export class Sender {
  readonly #settings: SenderSettings;
  #queue: RecordQueue | undefined;
  #stop: Stop | undefined;
  #forbidden: { text: string | undefined; times: number } = { text: undefined, times: 0 };
  #doubts = 0;
  /** Answers that were not refused for their time. */
  #accepted = 0;
  readonly #settling = new Set<Promise<void>>();
  readonly #connections: Semaphore;

  constructor(settings: SenderSettings) {
    this.#settings = settings;
    this.#connections = new Semaphore(settings.concurrency);
  }

  /** Sends all rows; resolves when everything is on disk, with why it stopped where it did. */
  async send(rows: AsyncIterable<RowRecord>): Promise<Stop | undefined> {
    const queue = new RecordQueue(rows, this.#settings.time);
    this.#queue = queue;
    if (this.#stop) queue.close();
    const slots = SLOTS_PER_CONNECTION * this.#settings.concurrency;
    const work = (): Promise<void> =>
      this.#work(queue).catch((error: unknown) => this.stop({ kind: 'failed', error }));
    await Promise.all(Array.from({ length: slots }, work));
    await Promise.all(this.#settling);
    return this.#stop;
  }

  /** Why nothing more is sent. */
  get stopped(): Stop | undefined {
    return this.#stop;
  }

  /** Sends nothing more; what is on its way is waited for. */
  stop(stop: Stop): void {
    this.#stop ??= stop;
    this.#queue?.close();
    this.#settings.limiter.close();
  }

  async #work(queue: RecordQueue): Promise<void> {
    for (let taken = await queue.take(); taken; taken = await queue.take()) {
      if (!(await this.#settings.limiter.acquire())) return;
      await this.#attempt(queue, taken);
      await this.#settings.ready();
    }
  }

  async #attempt(queue: RecordQueue, taken: QueuedRecord): Promise<void> {
    const { client, time, target } = this.#settings;
    const { row } = taken;
    const url = fillMark(target.url, row.member);
    const isLate = this.#lifetime();
    const id = await this.#intend(taken, url);
    if (id === 'taken') {
      this.#settings.onDone?.(row);
      return queue.done();
    }
    if (id === undefined) return;
    await this.#connections.acquire();
    if (this.#stop || isLate()) {
      this.#connections.release();
      this.#withdraw(id);
      return queue.putBack(taken, time.monotonic());
    }
    const sentAt = time.monotonic();
    const posted = await post(client, url, row.body);
    this.#connections.release();
    const again = this.#judge(posted, taken, sentAt);
    const record = 'recorded' in posted ? posted.recorded.attempt : undefined;
    this.#settle(id, { row, outcome: posted.outcome, record }, again);
    if (again === undefined) queue.done();
    else queue.putBack({ ...taken, acceptedBefore: this.#accepted }, again);
  }

  /** Tells whether an intent that is made now has become too old to be sent. */
  #lifetime(): () => boolean {
    const { time, now = () => 0, intentLifetimeMs = Infinity } = this.#settings;
    const [monotonic, wall] = [time.monotonic(), now()];
    return () => Math.max(time.monotonic() - monotonic, now() - wall) > intentLifetimeMs;
  }

  async #intend(taken: QueuedRecord, url: string): Promise<number | 'taken' | undefined> {
    const { ledger, target, credential, run } = this.#settings;
    const { location, context } = target;
    const { line, member, body } = taken.row;
    // An attempt was made each time that the row was put back.
    const tries = taken.row.tries === undefined ? undefined : taken.row.tries + taken.tries;
    const attempt = { url, member, location, context, credential, body, run, line, tries };
    try {
      return await ledger.intend(attempt);
    } catch (error) {
      if (error instanceof RowTakenError) return 'taken';
      this.stop({ kind: 'failed', error });
      return undefined;
    }
  }

  /** What cannot be taken back now stays in doubt. */
  #withdraw(id: number): void {
    this.#untilSettled(this.#settings.ledger.withdraw(id));
  }

  /**
   * Not waited for: it shares a commit with the intent of the next row, which is. So no more rows are
   * in doubt on disk than are on their way.
   */
  #settle(id: number, sent: SentRecord, again?: number): void {
    const { ledger, onSent, onLost, onDone } = this.#settings;
    const kept = ledger.settle(id, sent.outcome).then(
      () => {
        if (sent.outcome.kind !== 'not_sent') onDone?.(sent.row);
        if (again === undefined) onSent(sent);
      },
      (error: unknown) => {
        this.stop({ kind: 'failed', error });
        onLost(sent);
      },
    );
    this.#untilSettled(kept);
  }

  /** `send` waits for it; what goes wrong stops the run. */
  #untilSettled(work: Promise<void>): void {
    const settled = work
      .catch((error: unknown) => this.stop({ kind: 'failed', error }))
      .finally(() => this.#settling.delete(settled));
    this.#settling.add(settled);
  }

  /** Slows down, or stops, as the answer says; tells when the row is to be tried again, if it is. */
  #judge(posted: Posted, taken: QueuedRecord, sentAt: number): number | undefined {
    const { limiter } = this.#settings;
    const error = 'error' in posted ? posted.error : undefined;
    this.#watchForbidden(error);
    this.#watchDoubts(error);
    if (error instanceof Refusal && error.status === 429) {
      const waitMs = error.retryAfterMs ?? backoffMs(FIRST_WAIT_MS.refused, taken);
      limiter.refused(sentAt, waitMs);
      return this.#again(error, taken, waitMs);
    }
    if (error instanceof NoAnswer && !error.inDoubt) {
      const waitMs = backoffMs(FIRST_WAIT_MS.unconnected, taken);
      limiter.unconnected(waitMs);
      return this.#again(error, taken, waitMs);
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
  }

  #watchForbidden(error: unknown): void {
    const text = error instanceof Refusal && error.status === 403 ? error.text : undefined;
    const times = text === this.#forbidden.text ? this.#forbidden.times + 1 : 1;
    this.#forbidden = { text, times };
    if (text !== undefined && times >= SAME_REFUSALS) this.stop({ kind: 'refused', error });
  }

  #watchDoubts(error: unknown): void {
    this.#doubts = error instanceof NoAnswer && error.inDoubt ? this.#doubts + 1 : 0;
    if (this.#doubts >= MOST_DOUBTS) this.stop({ kind: 'refused', error });
  }

  #again(error: unknown, taken: QueuedRecord, waitMs: number): number | undefined {
    if (!this.#waitsTooLong(error, waitMs) && this.#isHopeless(taken)) {
      this.stop({ kind: 'refused', error });
    }
    // A timer may be a part of a millisecond early.
    return this.#stop ? undefined : this.#settings.time.monotonic() + waitMs + 1;
  }

  /** Where others get through, a row that does not may be refused at random, and is tried on. */
  #isHopeless({ tries, acceptedBefore }: QueuedRecord): boolean {
    return tries + 1 >= MOST_TRIES && this.#accepted === acceptedBefore;
  }

  #waitsTooLong(error: unknown, waitMs: number): boolean {
    if (waitMs <= LONGEST_WAIT_MS) return false;
    this.stop({ kind: 'refused', error, waitMs });
    return true;
  }
}

/** Twice as long each time. */
function backoffMs(firstMs: number, { tries }: QueuedRecord): number {
  return Math.min(LONGEST_BACKOFF_MS, firstMs * 2 ** tries);
}
