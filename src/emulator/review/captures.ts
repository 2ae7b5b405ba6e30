import { type PlainRequest, type Reply, sizeOf } from '../http/messages.ts';

/** How many bytes are kept of each body, and of all together. */
export const CAPTURED_BODY_BYTES = 64 * 1024;
const CAPTURED_BYTES = 16 * 1024 * 1024;

/** What was sent and answered, exactly as on the wire, with secrets. */
export interface Capture {
  readonly request: PlainRequest;
  readonly replyHeaders: Readonly<Record<string, string>>;
  /** Undefined if it was streamed, as files are. */
  readonly sent: CapturedBody | undefined;
  readonly answered: CapturedBody | undefined;
}

export interface CapturedBody {
  /** The first bytes; undefined after they were dropped in favour of later requests. */
  readonly bytes: Uint8Array | undefined;
  /** The size of the whole body. */
  readonly size: number;
}

type Kept = Omit<Capture, 'sent' | 'answered'> & {
  -readonly [Name in 'sent' | 'answered']: Capture[Name];
};

/** Headers and bodies of requests, in memory only, kept while somebody is watching. */
export class Captures {
  /** Those with bodies, oldest first. */
  readonly #withBodies = new Set<Kept>();
  #bytes = 0;
  #watchers = 0;

  get isOn(): boolean {
    return this.#watchers > 0;
  }

  /** Keeps requests from now on, until the returned function is called. */
  watch(): () => void {
    this.#watchers++;
    let isOver = false;
    return () => {
      if (!isOver) this.#watchers--;
      isOver = true;
    };
  }

  /** Captures a request; the oldest bodies are dropped if there are too many. */
  take(request: PlainRequest, reply: Reply): Capture {
    const { method, target, headers, origin } = request;
    const capture: Kept = {
      // The request itself would keep its connection in memory.
      request: { method, target, headers, origin, body: NONE },
      replyHeaders: reply.headers,
      sent: request.body instanceof Uint8Array ? begun(request.body) : undefined,
      answered: answerOf(reply),
    };
    const bytes = bytesOf(capture);
    if (bytes === 0) return capture;
    this.#withBodies.add(capture);
    this.#bytes += bytes;
    for (const oldest of this.#withBodies) {
      if (this.#bytes <= CAPTURED_BYTES) break;
      this.forget(oldest);
      oldest.sent &&= withoutBytes(oldest.sent);
      oldest.answered &&= withoutBytes(oldest.answered);
    }
    return capture;
  }

  /** Drops the bodies of a capture. */
  forget(capture: Capture): void {
    if (this.#withBodies.delete(capture)) this.#bytes -= bytesOf(capture);
  }

  clear(): void {
    this.#withBodies.clear();
    this.#bytes = 0;
  }
}

const NONE = new Uint8Array();

function bytesOf({ sent, answered }: Capture): number {
  return (sent?.bytes?.length ?? 0) + (answered?.bytes?.length ?? 0);
}

function withoutBytes(body: CapturedBody): CapturedBody {
  return body.size === 0 ? body : { bytes: undefined, size: body.size };
}

function answerOf({ headers, body, status }: Reply): CapturedBody | undefined {
  if (body === null) return { bytes: NONE, size: 0 };
  if (typeof body === 'string') return begun(Buffer.from(body));
  if (body instanceof Uint8Array) return begun(body);
  return sizeOf({ headers, body, status }) === 0 ? { bytes: NONE, size: 0 } : undefined;
}

/** A copy, so that the rest of a large body can be freed. */
function begun(body: Uint8Array): CapturedBody {
  return { bytes: new Uint8Array(body.subarray(0, CAPTURED_BODY_BYTES)), size: body.length };
}
