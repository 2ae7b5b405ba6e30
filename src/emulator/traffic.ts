import { sizeOf, type Mishap } from './faults.ts';
import { bearerOf, type PlainRequest, type Reply } from './http.ts';
import type { Service } from './service.ts';

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
  readonly fault: Mishap['is'] | null;
}

/** At least this many of the latest are known. */
const KEPT = 1000;
const PATH_MAX_CHARACTERS = 2000;

/** The latest requests. A reader that is slower than the traffic misses some, and memory stays bounded. */
export class Traffic {
  readonly #kept: Exchange[] = [];
  #count = 0;
  #wake = (): void => {};
  #next: Promise<void> | undefined;

  /** The latest, in their order, after the one with this number. */
  after(number: number): Exchange[] {
    return this.#kept.filter((each) => each.number > number);
  }

  add(exchange: Omit<Exchange, 'number'>): void {
    this.#count++;
    this.#kept.push({ number: this.#count, ...exchange });
    // Dropped in lots: taking each first one off would move all the others each time.
    if (this.#kept.length >= 2 * KEPT) this.#kept.splice(0, KEPT);
    this.#next = undefined;
    this.#wake();
  }

  clear(): void {
    this.#kept.length = 0;
  }

  /** Those that are kept and then each new one, for ever. */
  async *follow(): AsyncGenerator<Exchange> {
    for (let last = 0; ;) {
      const fresh = this.after(last);
      if (fresh.length === 0) await this.#change();
      for (const exchange of fresh) {
        last = exchange.number;
        yield exchange;
      }
    }
  }

  #change(): Promise<void> {
    this.#next ??= new Promise((resolve) => {
      this.#wake = resolve;
    });
    return this.#next;
  }
}

/** What is remembered of a request that was answered. */
export function exchangeOf(
  service: Service,
  request: PlainRequest,
  reply: Reply,
  more: { readonly ms: number; readonly fault: Mishap['is'] | null },
): Omit<Exchange, 'number'> {
  const isClosed = reply.cutAfterBytes === 0;
  return {
    time: new Date(service.clock.now()).toISOString(),
    origin: request.origin,
    method: request.method,
    path: redacted(request),
    ...bearerIn(service, request),
    status: isClosed ? null : reply.status,
    bytes: isClosed ? 0 : (reply.cutAfterBytes ?? sizeOf(reply)),
    ms: Math.round(more.ms * 10) / 10,
    error: reply.status >= 400 ? wordsOf(reply) : null,
    fault: more.fault,
  };
}

/** Whoever has a signed address may use it, so its query is as secret as a token. */
function redacted({ origin, target }: PlainRequest): string {
  const path = target.slice(0, PATH_MAX_CHARACTERS);
  const unsigned =
    origin === 'blobs' ? path.replace(/\?.*$/, '?…') : path.replace(/\bcheck=[^&]*/, 'check=…');
  return unsigned.replace(/\b(lt|pt|key)_[\w-]{8,}/g, '$1_…');
}

function bearerIn(
  service: Service,
  request: PlainRequest,
): Pick<Exchange, 'credential' | 'launch_id'> {
  const bearer = bearerOf(request);
  if (bearer === undefined) return { credential: null, launch_id: null };
  const token = service.tokens.get(bearer);
  if (token !== undefined) {
    const credential = token.kind === 'launch' ? 'launch_token' : 'provision_token';
    return { credential, launch_id: token.launchId };
  }
  const isKey = service.world.toolOfKey(bearer) !== undefined;
  return { credential: isKey ? 'api_key' : 'unknown', launch_id: null };
}

/** The message of the error envelope, else its code. */
function wordsOf({ body }: Reply): string | null {
  if (typeof body !== 'string') return null;
  try {
    const { error } = JSON.parse(body) as { error?: { code?: string; message?: string } };
    return error?.message ?? error?.code ?? null;
  } catch {
    return /<Message>(.*)<\/Message>/.exec(body)?.[1] ?? null;
  }
}
