import { type PlainRequest, type Reply, sizeOf } from '../http/messages.ts';

/** Of each body so many bytes are kept, and of all together so many. */
export const CAPTURED_BODY_BYTES = 64 * 1024;
const CAPTURED_BYTES = 16 * 1024 * 1024;

/** What was sent and what was answered, as it went over the wire: secrets and all. */
export interface Capture {
  readonly request: PlainRequest;
  readonly status: number;
  readonly replyHeaders: Readonly<Record<string, string>>;
  /** Undefined where it went by as a stream, as files do. */
  readonly sent: CapturedBody | undefined;
  readonly answered: CapturedBody | undefined;
}

export interface CapturedBody {
  /** The first bytes. */
  readonly bytes: Uint8Array;
  /** How many there were. */
  readonly size: number;
}

/** Headers and bodies of the latest requests, while somebody looks. In memory only. */
export class Captures {
  readonly #kept = new Map<number, Capture>();
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

  keep(number: number, request: PlainRequest, reply: Reply): void {
    const capture: Capture = {
      request,
      status: reply.status,
      replyHeaders: reply.headers,
      sent: request.body instanceof Uint8Array ? begun(request.body) : undefined,
      answered: answerOf(reply),
    };
    this.#kept.set(number, { ...capture, request: { ...request, body: NONE } });
    this.#bytes += bytesOf(capture);
    for (const [oldest, each] of this.#kept) {
      if (this.#bytes <= CAPTURED_BYTES) return;
      this.#kept.delete(oldest);
      this.#bytes -= bytesOf(each);
    }
  }

  get(number: number): Capture | undefined {
    return this.#kept.get(number);
  }

  clear(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }
}

const NONE = new Uint8Array();
/** What the headers of a request and its place among the others take, about. */
const OVERHEAD_BYTES = 2048;

function bytesOf({ sent, answered }: Capture): number {
  return OVERHEAD_BYTES + (sent?.bytes.length ?? 0) + (answered?.bytes.length ?? 0);
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
