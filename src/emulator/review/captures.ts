import { type PlainRequest, type Reply, sizeOf } from '../http/messages.ts';

/** How many bytes are kept of each body. */
export const CAPTURED_BODY_BYTES = 64 * 1024;
/** How many bytes are kept of all bodies, and of all headers. */
const CAPTURED_BYTES = 16 * 1024 * 1024;
const CHUNKS = 16;
const CHUNK_BYTES = CAPTURED_BYTES / CHUNKS;
/** In UTF-8 they fit into a chunk. Node's own limit for requests over HTTP is lower. */
const MOST_HEAD_CHARACTERS = CHUNK_BYTES / 4;

/** The request and response exactly as on the wire, with secrets. */
export interface Capture {
  readonly request: Omit<PlainRequest, 'body'>;
  readonly replyHeaders: Readonly<Record<string, string>>;
  /** Undefined if it was streamed, as files are. */
  readonly sent: CapturedBody | undefined;
  readonly answered: CapturedBody | undefined;
}

export interface CapturedBody {
  /** The first bytes; undefined after they were dropped in favour of later requests. */
  readonly content: Uint8Array | undefined;
  /** The size of the whole body. */
  readonly size: number;
}

/** Where a capture is kept. Numbers only: ten thousand captures cost the garbage collector nothing. */
export interface CaptureKey {
  readonly head: Place;
  readonly sent: BodyPlace | undefined;
  readonly answered: BodyPlace | undefined;
}

interface Place {
  /** Counts from the first byte that was ever kept. */
  readonly at: number;
  readonly length: number;
}

interface BodyPlace extends Place {
  readonly size: number;
}

/** Bytes, of which the oldest are overwritten. */
class ByteRing {
  /** Made as they are needed: most emulators see few requests. */
  readonly #chunks: Buffer[] = [];
  #end = 0;
  #begin = 0;

  /** Keeps the first bytes, at most as many as a chunk has. */
  add(content: Uint8Array | string, most = CHUNK_BYTES): Place {
    const size = Buffer.byteLength(content);
    const length = Math.min(size, most);
    const left = CHUNK_BYTES - (this.#end % CHUNK_BYTES);
    if (length > left) this.#end += left;
    const at = this.#end;
    const chunk = (this.#chunks[chunkOf(at)] ??= Buffer.allocUnsafeSlow(CHUNK_BYTES));
    const offset = at % CHUNK_BYTES;
    if (typeof content !== 'string') chunk.set(content.subarray(0, length), offset);
    else if (size === length) chunk.write(content, offset);
    // A character at the end may be cut in two.
    else chunk.set(Buffer.from(content).subarray(0, length), offset);
    this.#end += length;
    return { at, length };
  }

  /** A copy; undefined if it was overwritten. */
  get({ at, length }: Place): Buffer | undefined {
    if (at < Math.max(this.#begin, this.#end - CAPTURED_BYTES)) return undefined;
    const offset = at % CHUNK_BYTES;
    const kept = this.#chunks[chunkOf(at)]?.subarray(offset, offset + length);
    return kept && Buffer.from(kept);
  }

  clear(): void {
    this.#begin = this.#end;
  }
}

function chunkOf(at: number): number {
  return Math.floor(at / CHUNK_BYTES) % CHUNKS;
}

/** Headers and bodies of the latest requests, in memory only. */
export class Captures {
  readonly #heads = new ByteRing();
  readonly #bodies = new ByteRing();

  /** Keeps what a request and its response were. */
  add({ method, target, headers, origin, body }: PlainRequest, reply: Reply): CaptureKey {
    const head = JSON.stringify([method, target, headers, origin, reply.headers]);
    return {
      head: this.#heads.add(head.length > MOST_HEAD_CHARACTERS ? '' : head),
      sent: body instanceof Uint8Array ? this.#addBody(body) : undefined,
      answered: this.#addAnswer(reply),
    };
  }

  #addAnswer(reply: Reply): BodyPlace | undefined {
    const { body } = reply;
    if (typeof body === 'string' || body instanceof Uint8Array) return this.#addBody(body);
    return sizeOf(reply) === 0 ? this.#addBody('') : undefined;
  }

  #addBody(body: Uint8Array | string): BodyPlace {
    return { ...this.#bodies.add(body, CAPTURED_BODY_BYTES), size: Buffer.byteLength(body) };
  }

  /** Undefined if its headers were too large, or dropped in favour of later requests. */
  get({ head, sent, answered }: CaptureKey): Capture | undefined {
    const text = this.#heads.get(head);
    if (text === undefined || text.length === 0) return undefined;
    const [method, target, headers, origin, replyHeaders] = JSON.parse(text.toString()) as [
      string,
      string,
      PlainRequest['headers'],
      PlainRequest['origin'],
      Capture['replyHeaders'],
    ];
    return {
      request: { method, target, headers, origin },
      replyHeaders,
      sent: sent && this.#bodyOf(sent),
      answered: answered && this.#bodyOf(answered),
    };
  }

  #bodyOf(place: BodyPlace): CapturedBody {
    const content = place.length === 0 ? new Uint8Array() : this.#bodies.get(place);
    return { content, size: place.size };
  }

  clear(): void {
    this.#heads.clear();
    this.#bodies.clear();
  }
}
