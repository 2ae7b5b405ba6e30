import { type PlainRequest, type Reply, sizeOf } from '../http/messages.ts';

/** Of each body so many bytes are kept, and of all together so many. */
export const CAPTURED_BODY_BYTES = 64 * 1024;
const CAPTURED_BYTES = 16 * 1024 * 1024;

/** What was sent and what was answered, as it went over the wire: secrets and all. */
export interface Capture {
  readonly request: PlainRequest;
  readonly replyHeaders: Readonly<Record<string, string>>;
  /** Undefined where it went by as a stream, as files do. */
  readonly sent: CapturedBody | undefined;
  readonly answered: CapturedBody | undefined;
}

export interface CapturedBody {
  /** The first bytes; undefined once they were dropped for the bodies of later requests. */
  readonly bytes: Uint8Array | undefined;
  /** How many there were. */
  readonly size: number;
}

type Kept = Omit<Capture, 'sent' | 'answered'> & {
  -readonly [Name in 'sent' | 'answered']: Capture[Name];
};

/** Headers and bodies of requests, while somebody looks. In memory only. */
export class Captures {
  /** Those that have bodies, the oldest first. */
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

  /** Headers and bodies of a request; the oldest bodies are dropped where all are too many. */
  take(request: PlainRequest, reply: Reply): Capture {
    const { method, target, headers, origin } = request;
    const capture: Kept = {
      // Nothing else of it: that would hold its connection.
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

  /** The bodies of this one are no longer among those that are kept. */
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

/** A copy, so that a large body is not held for its beginning. */
function begun(body: Uint8Array): CapturedBody {
  return { bytes: new Uint8Array(body.subarray(0, CAPTURED_BODY_BYTES)), size: body.length };
}
