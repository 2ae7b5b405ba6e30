import type { Readable } from 'node:stream';

/** A request as a plain object, which is faster than a `Request`. */
export interface PlainRequest {
  readonly method: string;
  /** Path and query as in the request line, byte for byte. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
  /** The origin that was called: the service's API, or the one of signed URLs. */
  readonly origin: 'api' | 'blobs';
  /** Aborts when the caller disconnects; made only for handlers that wait. */
  readonly signal?: () => AbortSignal;
  /** Whether the caller has disconnected. */
  readonly isGone?: () => boolean;
}

/** A request before its body is read. */
export type RequestHead = Pick<PlainRequest, 'headers' | 'origin' | 'target'>;

/** A response as a plain object. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A stream must be read to its end or destroyed: it keeps a file open until then. */
  readonly body: string | Uint8Array | Readable | null;
  /** An injected fault: the connection is closed after this many bytes of the body, at 0 without any response. */
  readonly cutAfterBytes?: number;
  /** The body is sent without its length, in chunks of this many bytes. */
  readonly chunkBytes?: number | undefined;
}

export function isStream(body: Reply['body']): body is Readable {
  return body !== null && typeof body !== 'string' && !(body instanceof Uint8Array);
}

/** Bytes of a body; of a stream, from its header. */
export function sizeOf({ headers, body }: Reply): number {
  if (isStream(body)) return Number(headers['content-length'] ?? 0);
  return body === null ? 0 : Buffer.byteLength(body);
}

/** Releases the body of a response that is not sent. */
export function discard({ body }: Reply): void {
  if (isStream(body)) body.destroy();
}

const JSON_HEADERS = { 'content-type': 'application/json' };

export function jsonReply(status: number, value: unknown): Reply {
  return { status, headers: JSON_HEADERS, body: JSON.stringify(value) };
}

export function linesReply(body: Readable): Reply {
  return { status: 200, headers: { 'content-type': 'application/x-ndjson' }, body };
}

/** Headers of an answer that no browser stores, or takes for another type. */
export const UNCACHED = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

export const NO_CONTENT: Reply = { status: 204, headers: {}, body: null };

/** An error response, thrown by handlers and sent in the error envelope. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** An error of the control API, and of the server itself. An error without a message has none here. */
export function errorReply({ status, code, message, headers }: HttpError): Reply {
  const error = message === '' ? { code } : { code, message };
  return { ...jsonReply(status, { error }), headers: { ...JSON_HEADERS, ...headers } };
}

export function foreignOrigin(): HttpError {
  return new HttpError(403, 'foreign_origin', 'requests from this Origin are refused');
}

export function noSuchAddress(): never {
  throw new HttpError(404, 'not_found', 'no such address');
}

/** Refuses all other methods, with 405 unless another status is given. */
export function allowMethods(
  request: PlainRequest,
  methods: readonly string[],
  status = 405,
): void {
  if (methods.includes(request.method)) return;
  const message = `${request.method} is not allowed here`;
  throw new HttpError(status, 'method_not_allowed', message, { allow: methods.join(', ') });
}

/** The largest JSON body, including white space; it limits memory, not rows. */
export const BODY_MAX_BYTES = 64 * 1024 * 1024;

export function bodyTooLarge(): HttpError {
  return new HttpError(413, 'body_too_large', `a body has at most ${BODY_MAX_BYTES} bytes`);
}

export async function bodyOf({ body }: PlainRequest): Promise<Uint8Array> {
  if (body instanceof Uint8Array) return body;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > BODY_MAX_BYTES) throw bodyTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Reads a body to its end and drops it: a caller that is still sending may not read the response. */
export async function drain({ body }: PlainRequest): Promise<void> {
  if (body instanceof Uint8Array) return;
  for await (const _ of body);
}

/** The credential of an `Authorization: Bearer …` header. */
export function bearerOf({ headers }: Pick<RequestHead, 'headers'>): string | undefined {
  const header = headers.authorization;
  return typeof header === 'string' ? /^bearer +(\S+) *$/i.exec(header)?.[1] : undefined;
}
