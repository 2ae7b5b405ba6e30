import { Readable } from 'node:stream';
import { sizeOf, type Effect } from './faults.ts';
import type { Caller } from './caller.ts';
import type { PlainRequest, Reply } from './messages.ts';

/** A request and its response, without bodies and secrets. */
export interface Exchange {
  /** Counts from 1, over restarts too. */
  readonly number: number;
  /** When it was answered, by the emulator's clock; ISO 8601. */
  readonly time: string;
  readonly origin: PlainRequest['origin'];
  readonly method: string;
  /** Path and query, with signatures and tokens redacted. */
  readonly path: string;
  /** Kind of the bearer token; null if there was none. */
  readonly credential: Caller['credential'];
  readonly launch_id: string | null;
  /** null if the connection was closed without a response. */
  readonly status: number | null;
  readonly bytes: number;
  readonly ms: number;
  /** Message of an error response. */
  readonly error: string | null;
  /** The effect of the injected fault, if there was one. */
  readonly fault: Effect['is'] | null;
}

/** An exchange as it is stored; it is converted only when somebody reads it. */
interface StoredExchange extends Pick<
  Exchange,
  'number' | 'origin' | 'method' | 'credential' | 'launch_id' | 'ms' | 'fault'
> {
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

  /** Goes on from a number. */
  constructor(last: number) {
    this.#count = last;
  }

  /** The exchanges after this number, in order. */
  after(number: number): Exchange[] {
    return this.#kept.filter((each) => each.number > number).map(toExchange);
  }

  /** Adds a request that was answered after `ms`; returns its number. */
  add(
    request: PlainRequest,
    { credential, token }: Caller,
    reply: Reply,
    { now, ms }: { readonly now: number; readonly ms: number },
    fault: Effect['is'] | null,
  ): number {
    const { origin, method, target } = request;
    const number = ++this.#count;
    this.#kept.push({
      number,
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
    if (this.#kept.length >= 2 * MIN_KEPT) this.#kept.splice(0, MIN_KEPT);
    for (const wake of this.#waiting) wake();
    return number;
  }

  clear(): void {
    this.#kept.length = 0;
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

function toExchange({ now, target, status, ms, ...more }: StoredExchange): Exchange {
  const { number, origin, method, credential, launch_id, bytes, error, fault } = more;
  return {
    number,
    time: new Date(now).toISOString(),
    origin,
    method,
    path: redactPath(origin, target),
    credential,
    launch_id,
    status: status === 0 ? null : status,
    bytes,
    ms: Math.round(ms * 10) / 10,
    error,
    fault,
  };
}

/** A signed URL gives access by itself, so its query is as secret as a token. */
function redactPath(origin: PlainRequest['origin'], path: string): string {
  const unsigned =
    origin === 'blobs' ? path.replace(/\?.*$/s, '?…') : path.replace(/\bcheck=[^&]*/, 'check=…');
  return unsigned.replace(/\b(lt|pt|key)_[\w-]{8,}/g, '$1_…');
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
