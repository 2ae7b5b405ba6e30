import { Readable } from 'node:stream';
import { sizeOf, type Effect } from './faults.ts';
import { bearerOf, type PlainRequest, type Reply } from './messages.ts';
import type { EmulatorState } from '../state.ts';

/** A request and its answer, without bodies and secrets. */
export interface Exchange {
  /** Counts up from 1 for as long as the process lives. */
  readonly number: number;
  /** When it was answered, by the emulator's clock; ISO 8601. */
  readonly time: string;
  readonly origin: PlainRequest['origin'];
  readonly method: string;
  /** Path and query, signatures and tokens taken out. */
  readonly path: string;
  /** What the bearer token was; null where there was none. */
  readonly credential: 'launch_token' | 'provision_token' | 'api_key' | 'unknown' | null;
  readonly launch_id: string | null;
  /** null where the connection was closed without an answer. */
  readonly status: number | null;
  readonly bytes: number;
  readonly ms: number;
  /** What an answer that refuses says. */
  readonly error: string | null;
  /** The mishap that it met, where `fault` had asked for one. */
  readonly fault: Effect['is'] | null;
}

/** An exchange as it is remembered: what it costs to show it is spent when somebody looks. */
interface Remembered extends Pick<
  Exchange,
  'number' | 'origin' | 'method' | 'credential' | 'launch_id' | 'ms' | 'fault'
> {
  readonly now: number;
  readonly target: string;
  readonly status: number;
  readonly bytes: number;
  readonly error: string | null;
}

/** At least this many of the latest are known. */
const KEPT = 1000;
const PATH_MAX_CHARACTERS = 2000;

/** The latest requests. A reader that is slower than the traffic misses some, and memory stays bounded. */
export class Traffic {
  readonly #state: EmulatorState;
  readonly #kept: Remembered[] = [];
  /** Told of each request, the followers that have shown all others. */
  readonly #waiting = new Set<() => void>();
  #count = 0;

  constructor(state: EmulatorState) {
    this.#state = state;
  }

  /** The latest, in their order, after the one with this number. */
  after(number: number): Exchange[] {
    return this.#kept.filter((each) => each.number > number).map(shown);
  }

  /** Remembers a request that was answered after so many ms. */
  add(request: PlainRequest, reply: Reply, ms: number, fault: Effect['is'] | null): void {
    const { origin, method, target } = request;
    this.#kept.push({
      number: ++this.#count,
      now: this.#state.clock.now(),
      origin,
      method,
      target: target.length > PATH_MAX_CHARACTERS ? target.slice(0, PATH_MAX_CHARACTERS) : target,
      ...bearerIn(this.#state, request),
      status: reply.cutAfterBytes === 0 ? 0 : reply.status,
      bytes: reply.cutAfterBytes ?? sizeOf(reply),
      error: reply.status >= 400 ? wordsOf(reply) : null,
      ms,
      fault,
    });
    // Dropped in lots: taking each first one off would move all the others each time.
    if (this.#kept.length >= 2 * KEPT) this.#kept.splice(0, KEPT);
    for (const tell of this.#waiting) tell();
  }

  clear(): void {
    this.#kept.length = 0;
  }

  /** Lines of JSON: those that are kept and then each new one, until the stream is destroyed. */
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

function shown({ now, target, status, ms, ...more }: Remembered): Exchange {
  const { number, origin, method, credential, launch_id, bytes, error, fault } = more;
  return {
    number,
    time: new Date(now).toISOString(),
    origin,
    method,
    path: redacted(origin, target),
    credential,
    launch_id,
    status: status === 0 ? null : status,
    bytes,
    ms: Math.round(ms * 10) / 10,
    error,
    fault,
  };
}

/** Whoever has a signed address may use it, so its query is as secret as a token. */
function redacted(origin: PlainRequest['origin'], path: string): string {
  const unsigned =
    origin === 'blobs' ? path.replace(/\?.*$/s, '?…') : path.replace(/\bcheck=[^&]*/, 'check=…');
  return unsigned.replace(/\b(lt|pt|key)_[\w-]{8,}/g, '$1_…');
}

function bearerIn(
  state: EmulatorState,
  request: PlainRequest,
): Pick<Exchange, 'credential' | 'launch_id'> {
  const bearer = bearerOf(request);
  if (bearer === undefined) return { credential: null, launch_id: null };
  const token = state.tokens.get(bearer);
  if (token !== undefined) {
    const credential = token.kind === 'launch' ? 'launch_token' : 'provision_token';
    return { credential, launch_id: token.launchId };
  }
  const isKey = state.world.toolOfKey(bearer) !== undefined;
  return { credential: isKey ? 'api_key' : 'unknown', launch_id: null };
}

/** The message of the error envelope, else its code. */
function wordsOf({ body }: Reply): string | null {
  if (typeof body !== 'string') return null;
  try {
    const { error } = JSON.parse(body) as { error?: { code?: string; message?: string } };
    return error?.message ?? error?.code ?? null;
  } catch {
    return /<Message>([^<]*)<\/Message>/.exec(body)?.[1] ?? null;
  }
}
