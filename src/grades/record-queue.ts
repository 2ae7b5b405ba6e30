import type { RowRecord } from '../ledger/ledger.ts';
import type { Time } from './rate-limiter.ts';

/** A row that is to be sent, and how often it was refused for its time or found no connection. */
export interface QueuedRecord {
  readonly row: RowRecord;
  readonly tries: number;
  /** How many answers had been accepted when it was last put back. */
  readonly acceptedBefore: number;
}

interface WaitingRow extends QueuedRecord {
  readonly readyAt: number;
}

/**
 * Hands rows out: those that had to wait as soon as their time has come, else fresh ones. A row that
 * waits keeps no other from going.
 */
export class RecordQueue {
  readonly #rows: AsyncIterator<RowRecord>;
  readonly #time: Time;
  /** By the time they are ready. */
  readonly #waiting: WaitingRow[] = [];
  #fresh = true;
  #handedOut = 0;
  #closed = false;
  #nap = new AbortController();
  #asleep: Promise<void> | undefined;

  constructor(rows: AsyncIterable<RowRecord>, time: Time) {
    this.#rows = rows[Symbol.asyncIterator]();
    this.#time = time;
  }

  /** The next row; undefined when all are done, or the queue has been closed. */
  async take(): Promise<QueuedRecord | undefined> {
    while (!this.#closed) {
      const taken = this.#takeReady() ?? (this.#fresh ? await this.#takeFresh() : undefined);
      if (taken) {
        this.#handedOut += 1;
        return taken;
      }
      if (this.#fresh) continue;
      if (this.#waiting.length === 0 && this.#handedOut === 0) return undefined;
      await this.#sleep();
    }
    return undefined;
  }

  /** A row that was taken has come to its end. */
  done(): void {
    this.#handedOut -= 1;
    if (!this.#fresh) this.#wake();
  }

  /** A row that was taken is to be tried again at a time. */
  putBack({ tries, ...queued }: QueuedRecord, readyAt: number): void {
    const later = this.#waiting.findIndex((each) => each.readyAt > readyAt);
    const index = later === -1 ? this.#waiting.length : later;
    this.#waiting.splice(index, 0, { ...queued, tries: tries + 1, readyAt });
    this.done();
  }

  /** Hands nothing out any more. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  #takeReady(): QueuedRecord | undefined {
    const [first] = this.#waiting;
    return first && first.readyAt <= this.#time.monotonic() ? this.#waiting.shift() : undefined;
  }

  async #takeFresh(): Promise<QueuedRecord | undefined> {
    const next = await this.#rows.next();
    if (!next.done) return { row: next.value, tries: 0, acceptedBefore: 0 };
    this.#fresh = false;
    this.#wake();
    return undefined;
  }

  /** Until the first waiting row is ready, or something changes. All who have no row share it. */
  #sleep(): Promise<void> {
    const [first] = this.#waiting;
    const ms = first ? Math.max(1, first.readyAt - this.#time.monotonic()) : LONG_MS;
    this.#asleep ??= this.#time
      .sleep(ms, this.#nap.signal)
      .catch(() => {})
      .finally(() => (this.#asleep = undefined));
    return this.#asleep;
  }

  #wake(): void {
    this.#nap.abort();
    this.#nap = new AbortController();
  }
}

/** Something will change before: a row that is handed out comes to its end. */
const LONG_MS = 3_600_000;
