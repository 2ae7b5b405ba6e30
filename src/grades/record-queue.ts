import { sleepUnlessAborted } from '../clock.ts';
import type { RecordState } from '../ledger/ledger.ts';
import { type Time, UNTIL_WOKEN_MS } from './rate-limiter.ts';

/** A record to be sent, and how often it was refused with 429 or found no connection. */
export interface QueuedRecord {
  readonly row: RecordState;
  readonly tries: number;
  /** How many requests had been accepted when it was last put back. */
  readonly acceptedBefore: number;
}

interface WaitingRecord extends QueuedRecord {
  readonly readyAt: number;
}

/**
 * The records of a run that are still to be sent: those whose wait is over first, then fresh ones. A
 * waiting record does not hold up others.
 */
export class RecordQueue {
  readonly #pages: AsyncIterator<readonly RecordState[]>;
  readonly #time: Time;
  /** By the time they are ready. */
  readonly #waiting: WaitingRecord[] = [];
  /** Fresh records that were read, from the place of the next one. */
  #page: readonly RecordState[] = [];
  #place = 0;
  #reading: Promise<void> | undefined;
  #isRead = false;
  #handedOut = 0;
  #closed = false;
  #wakeUp = new AbortController();
  #asleep: Promise<void> | undefined;

  constructor(pages: AsyncIterable<readonly RecordState[]>, time: Time) {
    this.#pages = pages[Symbol.asyncIterator]();
    this.#time = time;
  }

  /** The next record; undefined when all are done, or the queue is closed. */
  async take(): Promise<QueuedRecord | undefined> {
    while (!this.#closed) {
      const ready = this.takeReady();
      if (ready) return ready;
      if (!this.#isRead) await (this.#reading ??= this.#read());
      else if (this.#waiting.length === 0 && this.#handedOut === 0) return undefined;
      else await this.#sleep();
    }
    return undefined;
  }

  /** The same if there is one that needs no wait. */
  takeReady(): QueuedRecord | undefined {
    if (this.#closed) return undefined;
    const taken = this.#takeWaiting() ?? this.#takeFresh();
    if (taken) this.#handedOut += 1;
    return taken;
  }

  /** A record that was taken is done. */
  done(): void {
    this.#handedOut -= 1;
    if (this.#isRead) this.#wake();
  }

  /** A record that was taken is to be tried again at `readyAt`. */
  putBack({ tries, ...queued }: QueuedRecord, readyAt: number): void {
    const later = this.#waiting.findIndex((each) => each.readyAt > readyAt);
    const index = later === -1 ? this.#waiting.length : later;
    this.#waiting.splice(index, 0, { ...queued, tries: tries + 1, readyAt });
    this.done();
  }

  /** From now on `take` returns undefined. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  #takeWaiting(): QueuedRecord | undefined {
    const [first] = this.#waiting;
    return first && first.readyAt <= this.#time.monotonic() ? this.#waiting.shift() : undefined;
  }

  #takeFresh(): QueuedRecord | undefined {
    const row = this.#page[this.#place];
    if (!row) return undefined;
    this.#place += 1;
    return { row, tries: 0, acceptedBefore: 0 };
  }

  /** All callers without a record share it. */
  async #read(): Promise<void> {
    try {
      const next = await this.#pages.next();
      [this.#page, this.#place] = [next.done ? [] : next.value, 0];
      if (!next.done) return;
      this.#isRead = true;
      this.#wake();
    } finally {
      this.#reading = undefined;
    }
  }

  /** Until the first waiting record is ready, or something changes. All callers without a record share it. */
  #sleep(): Promise<void> {
    const [first] = this.#waiting;
    const ms = first ? Math.max(1, first.readyAt - this.#time.monotonic()) : UNTIL_WOKEN_MS;
    this.#asleep ??= sleepUnlessAborted(this.#time, ms, this.#wakeUp.signal).finally(
      () => (this.#asleep = undefined),
    );
    return this.#asleep;
  }

  #wake(): void {
    this.#wakeUp.abort();
    this.#wakeUp = new AbortController();
  }
}
