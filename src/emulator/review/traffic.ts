import { Readable } from 'node:stream';
import * as s from '../../schema/schema.ts';
import type { Call, Answered } from '../service/call.ts';
import type { EmulatorState } from '../state/state.ts';
import { type Capture, Captures } from './captures.ts';
import { type Exchange, shownExchange, storedExchange, type StoredExchange } from './exchange.ts';
import { FILTER, filterOf } from './filter.ts';

export type { Exchange } from './exchange.ts';

const KEPT = 10_000;
/** How many older exchanges are collected before those that are not cited are dropped. */
const SIFTED = 1000;
/** Events within this time are sent together. */
const GATHER_MS = 20;
/** A page ends early if its requests exceed this size. */
const PAGE_BYTES = 800 * 1024;

/** A search of the traffic; the latest results are returned. */
export const TRAFFIC_QUERY = s.object({
  'filter?': FILTER,
  'limit?': s.integerIn(1),
  'before?': s.described(s.integerIn(1), 'only requests before this number: the next page'),
  'after?': s.described(s.count, 'only requests after this number'),
});

/** The requests that the report needs. */
export interface Citations {
  /** The requests that a finding cites. */
  cited(): ReadonlySet<number>;
  /** The requests that a finding may still cite. */
  mayBeCited(): readonly number[];
}

/**
 * The latest requests, and older ones that a finding cites. A slow reader misses some, so that
 * memory is limited.
 */
export class Traffic {
  readonly #state: EmulatorState;
  readonly #cites: Citations;
  /** The latest ones, each at its number modulo `KEPT`. */
  #latest: StoredExchange[] = [];
  /** Older ones; those that no finding cites or may cite are dropped from time to time. */
  #older = new Map<number, StoredExchange>();
  readonly #waiting = new Set<() => void>();
  #count: number;
  /** The number of the last request that is not stored here. */
  #before: number;
  #siftAt = SIFTED;
  #events = 0;
  readonly #captures = new Captures();
  /** Requests up to this event may be missing. */
  forgottenEvent = 0;

  /**
   * @param last the number of the last exchange before these
   * @param cites the numbers of the requests that findings cite
   */
  constructor(state: EmulatorState, last: number, cites: Citations) {
    this.#state = state;
    this.#count = last;
    this.#before = last;
    this.#cites = cites;
  }

  /** The matching requests; without a limit, all of them. */
  search({ filter = '', limit, after = 0, before = Infinity }: s.Static<typeof TRAFFIC_QUERY>) {
    const matches = filterOf(this.#state, filter);
    const requests: Exchange[] = [];
    let [all, found, bytes, next] = [0, 0, 0, null as number | null];
    for (const each of this.#newest()) {
      all++;
      if (!matches(each)) continue;
      found++;
      if (next !== null || each.number <= after || each.number >= before) continue;
      const shown = this.#shown(each);
      if (limit !== undefined) bytes += JSON.stringify(shown).length;
      const isFull = requests.length === limit || (requests.length > 0 && bytes > PAGE_BYTES);
      if (isFull) next = requests.at(-1)?.number ?? null;
      else requests.push(shown);
    }
    const [kept, cited] = [this.#latest.length, all - this.#latest.length];
    const total = this.#count - this.#before;
    return { requests: requests.reverse(), found, kept, cited, total, next };
  }

  /** The requests after an event, each with the number of its event. */
  afterEvent(event: number): [event: number, Exchange][] {
    const exchanges = this.#until((each) => each.event <= event);
    return exchanges.map((each) => [each.event, this.#shown(each)]);
  }

  /** The request with this number, if it is still kept. */
  find(number: number): Exchange | undefined {
    const exchange = this.#find(number);
    return exchange && this.#shown(exchange);
  }

  /** The headers and bodies of a request, unless they were dropped. */
  capture(number: number): Capture | undefined {
    const exchange = this.#find(number);
    return exchange && this.#captures.get(exchange.capture);
  }

  get count(): number {
    return this.#count;
  }

  get lastEvent(): number {
    return this.#events;
  }

  /** Returns the number of an event that happens now. */
  nextEvent(): number {
    return ++this.#events;
  }

  /** Adds a request that was answered after `ms`; returns its number. */
  add(
    call: Call,
    answered: Answered,
    more: Pick<StoredExchange, 'now' | 'startedMs' | 'ms' | 'fault'>,
  ): number {
    const number = ++this.#count;
    const capture = this.#captures.add(call.request, answered.reply);
    const event = ++this.#events;
    this.#put(storedExchange(call, answered, { number, event, capture, ...more }));
    this.wake();
    return number;
  }

  #put(added: StoredExchange): void {
    const place = this.#placeOf(added.number);
    const oldest = this.#latest[place];
    this.#latest[place] = added;
    if (oldest === undefined) return;
    this.forgottenEvent = oldest.event;
    this.#older.set(oldest.number, oldest);
    if (this.#older.size >= this.#siftAt) this.#sift();
  }

  #placeOf(number: number): number {
    return (number - this.#before - 1) % KEPT;
  }

  #find(number: number): StoredExchange | undefined {
    const latest = this.#latest[this.#placeOf(number)];
    if (latest?.number === number) return latest;
    return this.#older.has(number) && this.#cites.cited().has(number)
      ? this.#older.get(number)
      : undefined;
  }

  *#newest(): Generator<StoredExchange> {
    const first = this.#count - this.#latest.length;
    for (let number = this.#count; number > first; number--) {
      yield this.#latest[this.#placeOf(number)] as StoredExchange;
    }
    if (this.#older.size === 0) return;
    const cited = this.#cites.cited();
    const older = [...this.#older.values()].filter(({ number }) => cited.has(number));
    yield* older.sort((a, b) => b.number - a.number);
  }

  /** The latest ones up to one that is not wanted, oldest first. */
  #until(isUnwanted: (each: StoredExchange) => boolean): StoredExchange[] {
    const exchanges: StoredExchange[] = [];
    for (const each of this.#newest()) {
      if (isUnwanted(each)) break;
      exchanges.push(each);
    }
    return exchanges.reverse();
  }

  #shown(each: StoredExchange): Exchange {
    return shownExchange(this.#state, each);
  }

  /** Drops the older ones that no finding cites or is likely to cite; the latest of them stay. */
  #sift(): void {
    const cited = this.#cites.cited();
    const likely = this.#cites.mayBeCited().filter((number) => this.#older.has(number));
    const held = new Set(likely.sort((a, b) => b - a).slice(0, KEPT));
    for (const number of this.#older.keys()) {
      if (!cited.has(number) && !held.has(number)) this.#older.delete(number);
    }
    this.#siftAt = this.#older.size + SIFTED;
  }

  /** Notifies the followers. */
  wake(): void {
    for (const wake of this.#waiting) wake();
  }

  clear(): void {
    this.#latest = [];
    this.#older.clear();
    this.#before = this.#count;
    this.forgottenEvent = this.#events;
    this.#captures.clear();
  }

  /** Lines of JSON: the kept exchanges that match and then each new one, until the stream is destroyed. */
  follow(filter = ''): Readable {
    const matches = filterOf(this.#state, filter);
    let last = 0;
    return this.stream(() => {
      const fresh = this.#until((each) => each.number <= last);
      last = fresh.at(-1)?.number ?? last;
      return fresh.filter(matches).map((each) => this.#shown(each));
    });
  }

  /**
   * Lines of JSON: what is fresh now, and after each event, until the stream is destroyed. Events
   * within a moment are sent together.
   */
  stream(fresh: () => readonly object[]): Readable {
    let timer: NodeJS.Timeout | undefined;
    const push = (): void => {
      timer = undefined;
      const lines = fresh().map((each) => `${JSON.stringify(each)}\n`);
      if (lines.length === 0) this.#waiting.add(gather);
      else stream.push(lines.join(''));
    };
    const gather = (): void => {
      this.#waiting.delete(gather);
      timer ??= setTimeout(push, GATHER_MS);
    };
    const stream = new Readable({
      read: () => {
        if (timer === undefined) push();
      },
      destroy: (error, done) => {
        clearTimeout(timer);
        this.#waiting.delete(gather);
        done(error);
      },
    });
    return stream;
  }
}
