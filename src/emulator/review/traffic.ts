import { Readable } from 'node:stream';
import type { Redact } from '../../redaction/redact.ts';
import { Captures } from './captures.ts';
import * as s from '../../schema/schema.ts';
import type { Call } from '../service/call.ts';
import { type Reply, sizeOf } from '../http/messages.ts';

/** A request and its response, without bodies and secrets. */
export const EXCHANGE = {
  number: s.described(s.count, 'counts from 1, over restarts too'),
  time: s.described(s.instant, "when it was answered, by the emulator's clock"),
  origin: s.described(s.oneOf('api', 'blobs'), 'blobs: the origin of the signed addresses'),
  method: s.text,
  path: s.described(s.text, 'path and query; signatures and tokens are redacted'),
  credential: s.described(
    s.oneOf('launch_token', 'provision_token', 'api_key', 'unknown', null),
    'the kind of the bearer token; null if there was none',
  ),
  launch_id: s.nullable(s.text),
  status: s.described(
    s.nullable(s.httpStatus),
    'null if the connection was closed without a response',
  ),
  bytes: s.count,
  ms: s.anyNumber,
  error: s.described(s.nullable(s.text), 'the message of an error response'),
  fault: s.described(
    s.oneOf('status', 'close', 'cut', 'delay', null),
    'the effect of the injected fault, if there was one',
  ),
};
const SHOWN = s.object(EXCHANGE);
export type Exchange = s.Static<typeof SHOWN>;

/** An exchange as it is stored; it is converted only when somebody reads it. */
interface StoredExchange extends Pick<
  Exchange,
  'number' | 'origin' | 'method' | 'credential' | 'launch_id' | 'ms' | 'fault'
> {
  /** Its number among all events. */
  readonly event: number;
  readonly now: number;
  readonly target: string;
  readonly status: number;
  readonly bytes: number;
  readonly error: string | null;
}

/** At least this many of the latest exchanges are kept. */
const MIN_KEPT = 1000;
const PATH_MAX_CHARACTERS = 2000;

/** The latest requests. A slow reader misses some, so that memory is limited. */
export class Traffic {
  readonly #kept: StoredExchange[] = [];
  /** Followers that wait for the next request. */
  readonly #waiting = new Set<() => void>();
  #count: number;
  readonly #redact: Redact;
  #events = 0;
  /** Headers and bodies, while somebody looks. */
  readonly captures = new Captures();
  /** Up to this event requests may have been forgotten. */
  forgottenEvent = 0;

  /**
   * @param last the number of the last exchange before these
   * @param redact redacts secrets in what is shown of an exchange
   */
  constructor(last: number, redact: Redact) {
    this.#count = last;
    this.#redact = redact;
  }

  /** The exchanges after this number, in order. */
  after(number: number): Exchange[] {
    return this.#kept.filter((each) => each.number > number).map((each) => this.#shown(each));
  }

  /** So many of the latest, the newest first. */
  *latest(count: number): Generator<Exchange> {
    for (const each of this.#kept.slice(-count).reverse()) yield this.#shown(each);
  }

  /** The requests after an event, each with its own number among the events. */
  afterEvent(event: number): [event: number, Exchange][] {
    let from = this.#kept.length;
    while (from > 0 && (this.#kept[from - 1]?.event ?? 0) > event) from--;
    return this.#kept.slice(from).map((each) => [each.event, this.#shown(each)]);
  }

  /** The one with this number, if it is still known. */
  find(number: number): Exchange | undefined {
    const found = this.#kept.find((each) => each.number === number);
    return found && this.#shown(found);
  }

  /** How many requests there were. */
  get count(): number {
    return this.#count;
  }

  /** The number of the latest event. */
  get lastEvent(): number {
    return this.#events;
  }

  /** The number of an event that happens now. */
  nextEvent(): number {
    return ++this.#events;
  }

  /** Adds a request that was answered after `ms`; returns its number. */
  add(
    { request, caller: { credential, token } }: Call,
    reply: Reply,
    { now, ms, fault }: { readonly now: number } & Pick<Exchange, 'ms' | 'fault'>,
  ): number {
    const { origin, method, target } = request;
    const number = ++this.#count;
    this.#kept.push({
      number,
      event: ++this.#events,
      now,
      origin,
      method,
      target: target.length > PATH_MAX_CHARACTERS ? target.slice(0, PATH_MAX_CHARACTERS) : target,
      credential,
      launch_id: token?.launchId ?? null,
      status: reply.cutAfterBytes === 0 ? 0 : reply.status,
      bytes: reply.cutAfterBytes ?? sizeOf(reply),
      error: reply.status >= 400 ? errorTextOf(reply) : null,
      ms,
      fault,
    });
    // Dropped in batches: removing the first one moves all others each time.
    if (this.#kept.length >= 2 * MIN_KEPT) {
      this.forgottenEvent = this.#kept.splice(0, MIN_KEPT).at(-1)?.event ?? 0;
    }
    if (this.captures.isOn) this.captures.keep(number, request, reply);
    this.wake();
    return number;
  }

  /** Tells those who wait for the next event. */
  wake(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Calls back at the next event and each one after it, until the returned function is called. */
  onNext(tell: () => void): () => void {
    this.#waiting.add(tell);
    return () => void this.#waiting.delete(tell);
  }

  clear(): void {
    this.#kept.length = 0;
    this.forgottenEvent = this.#events;
    this.captures.clear();
  }

  #shown({ now, target, status, ms, error, ...more }: StoredExchange): Exchange {
    const { number, origin, method, credential, launch_id, bytes, fault } = more;
    // A signed URL gives access by itself, so its query is as secret as a token.
    const path = origin === 'blobs' ? target.replace(/\?.*$/s, '?…') : target;
    return {
      number,
      time: new Date(now).toISOString(),
      origin,
      method,
      path: this.#redact(path),
      credential,
      launch_id,
      status: status === 0 ? null : status,
      bytes,
      ms: Math.round(ms * 10) / 10,
      error: error && this.#redact(error),
      fault,
    };
  }

  /** Lines of JSON: the kept exchanges and then each new one, until the stream is destroyed. */
  follow(): Readable {
    let last = 0;
    const push = (): void => {
      const fresh = this.after(last);
      if (fresh.length === 0) {
        this.#waiting.add(push);
        return;
      }
      this.#waiting.delete(push);
      last = fresh.at(-1)?.number ?? last;
      stream.push(fresh.map((exchange) => `${JSON.stringify(exchange)}\n`).join(''));
    };
    const stream = new Readable({
      read: push,
      destroy: (error, done) => {
        this.#waiting.delete(push);
        done(error);
      },
    });
    return stream;
  }
}

/** The message of the error envelope, or else its code. */
function errorTextOf({ body }: Reply): string | null {
  if (typeof body !== 'string') return null;
  try {
    const { error } = JSON.parse(body) as { error?: { code?: string; message?: string } };
    return error?.message ?? error?.code ?? null;
  } catch {
    return /<Message>([^<]*)<\/Message>/.exec(body)?.[1] ?? null;
  }
}
