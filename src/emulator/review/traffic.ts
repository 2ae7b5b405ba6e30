import { Readable } from 'node:stream';
import type { Value } from '../../sqlite/database.ts';
import * as s from '../../schema/schema.ts';
import { memberName } from '../state/people.ts';
import type { EmulatorState } from '../state/state.ts';
import type { Exchange } from './exchange.ts';
import type { Exchanges } from './exchanges.ts';
import { type Condition, conditionOf, FILTER } from './filter.ts';
import type { StoredExchange } from './stored-exchange.ts';

/** Requests of a list without a limit, and those that a follower may be behind. */
const LATEST = 10_000;
/** Events within this time are sent together. */
const GATHER_MS = 20;
/** A page ends early if its requests exceed this size. */
const PAGE_BYTES = 800 * 1024;

export const TRAFFIC_AFTER = s.described(s.count, 'only requests after this number');

/** A search of the traffic; the latest results are returned. */
export const TRAFFIC_QUERY = s.object({
  'filter?': FILTER,
  'limit?': s.integerIn(1),
  'before?': s.described(s.integerIn(1), 'only requests before this number: the next page'),
  'after?': TRAFFIC_AFTER,
});

/** The exchanges as lists and streams show them. */
export class Traffic {
  readonly #state: Pick<EmulatorState, 'world'>;
  readonly #exchanges: Exchanges;
  readonly #waiting = new Set<() => void>();

  constructor(state: Pick<EmulatorState, 'world'>, exchanges: Exchanges) {
    this.#state = state;
    this.#exchanges = exchanges;
  }

  /** The latest matching requests, in order; a page of them if there is a limit. */
  search({ filter = '', limit, after = 0, before = this.#next }: s.Static<typeof TRAFFIC_QUERY>) {
    const condition = conditionOf(this.#state, filter);
    const requests: Exchange[] = [];
    let [bytes, next] = [0, null as number | null];
    for (const shown of this.#latest(condition, after, before)) {
      if (limit !== undefined) bytes += JSON.stringify(shown).length;
      const isFull =
        requests.length === (limit ?? LATEST) || (requests.length > 0 && bytes > PAGE_BYTES);
      if (isFull) next = requests.at(-1)?.number ?? null;
      if (isFull) break;
      requests.push(shown);
    }
    return { requests: requests.reverse(), found: this.#found(condition), ...this.counts, next };
  }

  get counts() {
    const { kept, total, missed, why } = this.#exchanges.counts;
    return { kept, total, missed, missed_why: why };
  }

  /** The number of the last request. */
  get last(): number {
    return this.#exchanges.last;
  }

  get #next(): number {
    return this.last + 1;
  }

  /** How many of the kept requests match. */
  #found({ sql, values }: Condition): number {
    if (values.length === 0 && sql === '1') return this.#exchanges.counts.kept;
    const counted = `SELECT count(*) AS found FROM exchanges WHERE ${sql}`;
    const [{ found = 0 } = {}] = this.#exchanges.rows<{ found: number }>(counted, values);
    return found;
  }

  /** Newest first. */
  *#latest({ sql, values }: Condition, after: number, before: number): Generator<Exchange> {
    const range: Value[] = [after, before];
    const each = `SELECT ${SHOWN.join(', ')} FROM exchanges
      WHERE number > ? AND number < ? AND ${sql} ORDER BY number DESC`;
    for (const row of this.#exchanges.rows<Shown>(each, [...range, ...values])) {
      yield shownExchange(this.#state, row);
    }
  }

  /** The requests after a number that match, oldest first; a slow reader misses some. */
  since(number: number, filter = ''): Exchange[] {
    const after = Math.max(number, this.last - LATEST);
    return [...this.#latest(conditionOf(this.#state, filter), after, this.#next)].reverse();
  }

  /** The request with this number, if it is still kept. */
  find(number: number): Exchange | undefined {
    const [found] = this.#latest({ sql: '1', values: [] }, number - 1, number + 1);
    return found;
  }

  /** Notifies the followers. */
  wake(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Lines of JSON: the latest exchanges that match and then each new one, until the stream is destroyed. */
  follow(filter = '', after = 0): Readable {
    let last = after;
    return this.stream(() => {
      const fresh = this.since(last, filter);
      last = this.last;
      return fresh;
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

/** The columns that a list shows. */
const SHOWN = [
  ...(['number', 'at', 'started', 'origin', 'method', 'path', 'about', 'member'] as const),
  ...(['credential', 'launch', 'caller', 'by_lectern', 'status', 'bytes', 'ms'] as const),
  ...(['error', 'failure', 'fault'] as const),
] satisfies (keyof StoredExchange)[];

type Shown = Pick<StoredExchange, (typeof SHOWN)[number]>;

function shownExchange(state: Pick<EmulatorState, 'world'>, each: Shown): Exchange {
  const { number, at, started, origin, method, path, about, member, credential } = each;
  const { launch, caller, by_lectern, status, bytes, ms, error, failure, fault } = each;
  return {
    number,
    time: new Date(at).toISOString(),
    started: new Date(started).toISOString(),
    origin,
    method,
    path,
    about,
    member,
    member_name: member === null ? '' : memberName(state, member),
    credential,
    launch_id: launch,
    caller,
    caller_name: caller === null ? '' : memberName(state, caller),
    by_lectern: by_lectern === 1,
    status: status === 0 ? null : status,
    bytes,
    ms: Math.round(ms * 10) / 10,
    error,
    failure,
    fault,
  };
}
