import { type PlainRequest, type Reply, sizeOf } from '../http/messages.ts';

/** How many bytes are kept of each body, and of all together. */
export const CAPTURED_BODY_BYTES = 64 * 1024;
const CAPTURED_BYTES = 16 * 1024 * 1024;
/** How many characters are kept of the headers of all requests. */
const CAPTURED_HEADER_CHARACTERS = 16 * 1024 * 1024;

/** The request and response exactly as on the wire, with secrets. */
export interface Capture {
  readonly request: PlainRequest;
  readonly replyHeaders: Readonly<Record<string, string>>;
  /** Undefined if it was streamed, as files are. */
  readonly sent: CapturedBody | undefined;
  readonly answered: CapturedBody | undefined;
}

export interface CapturedBody {
  /** The first bytes, or a short text; undefined after it was dropped in favour of later requests. */
  readonly content: Uint8Array | string | undefined;
  /** The size of the whole body. */
  readonly size: number;
}

type Kept = Omit<Capture, 'sent' | 'answered'> & {
  -readonly [Name in 'sent' | 'answered']: Capture[Name];
};

/** Items with sizes, of which the oldest are dropped when all together are too large. */
class Bounded<Item> {
  readonly #sizes = new Map<Item, number>();
  /** Continues where it stopped: a new iterator would first skip all deleted entries. */
  #oldest = this.#sizes.keys();
  readonly #most: number;
  readonly #drop: (item: Item) => void;
  #size = 0;

  constructor(most: number, drop: (item: Item) => void = () => {}) {
    this.#most = most;
    this.#drop = drop;
  }

  has(item: Item): boolean {
    return this.#sizes.has(item);
  }

  add(added: Item, size: number): void {
    this.#sizes.set(added, size);
    this.#size += size;
    while (this.#size > this.#most) {
      const { value: oldest, done } = this.#oldest.next();
      if (done) break;
      this.delete(oldest);
      this.#drop(oldest);
    }
  }

  delete(item: Item): void {
    this.#size -= this.#sizes.get(item) ?? 0;
    this.#sizes.delete(item);
  }

  clear(): void {
    this.#sizes.clear();
    this.#oldest = this.#sizes.keys();
    this.#size = 0;
  }
}

/** Headers and bodies of the requests of the traffic, in memory only. */
export class Captures {
  readonly #bodies = new Bounded<Kept>(CAPTURED_BYTES, dropBodies);
  readonly #headers = new Bounded<Capture>(CAPTURED_HEADER_CHARACTERS);

  /** Captures a request; the oldest captures are dropped if there are too many. */
  take(request: PlainRequest, reply: Reply): Capture {
    const { method, target, headers, origin } = request;
    const capture: Kept = {
      // The request itself would keep its connection in memory.
      request: { method, target, headers, origin, body: NONE },
      replyHeaders: reply.headers,
      sent: request.body instanceof Uint8Array ? begun(request.body) : undefined,
      answered: answerOf(reply),
    };
    this.#headers.add(capture, lengthOf(headers) + lengthOf(reply.headers));
    const bytes = bytesOf(capture);
    if (bytes > 0) this.#bodies.add(capture, bytes);
    return capture;
  }

  /** Whether its headers are still kept. */
  has(capture: Capture): boolean {
    return this.#headers.has(capture);
  }

  /** Drops the capture of a request that left the traffic. */
  forget(capture: Capture): void {
    this.#headers.delete(capture);
    this.#bodies.delete(capture);
  }

  clear(): void {
    this.#headers.clear();
    this.#bodies.clear();
  }
}

const NONE = new Uint8Array();

function lengthOf(headers: PlainRequest['headers']): number {
  let length = 0;
  for (const name in headers) length += name.length + (headers[name]?.length ?? 0);
  return length;
}

function bytesOf({ sent, answered }: Capture): number {
  return (sent ? keptOf(sent) : 0) + (answered ? keptOf(answered) : 0);
}

function keptOf({ content, size }: CapturedBody): number {
  return content === undefined ? 0 : Math.min(size, CAPTURED_BODY_BYTES);
}

function dropBodies(capture: Kept): void {
  capture.sent &&= withoutBytes(capture.sent);
  capture.answered &&= withoutBytes(capture.answered);
}

function withoutBytes(body: CapturedBody): CapturedBody {
  return body.size === 0 ? body : { content: undefined, size: body.size };
}

function answerOf(reply: Reply): CapturedBody | undefined {
  const { body } = reply;
  if (body instanceof Uint8Array) return begun(body);
  const size = sizeOf(reply);
  if (size === 0) return { content: '', size };
  if (typeof body !== 'string') return undefined;
  return size > CAPTURED_BODY_BYTES ? begun(Buffer.from(body)) : { content: body, size };
}

/** A copy, so that the rest of a large body can be freed. */
function begun(body: Uint8Array): CapturedBody {
  if (body.length === 0) return { content: '', size: 0 };
  return { content: new Uint8Array(body.subarray(0, CAPTURED_BODY_BYTES)), size: body.length };
}
