import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { chain, type MaybePromise } from './maybe-promise.ts';
import { isStreamed } from '../control/index.ts';
import {
  BODY_MAX_BYTES,
  bodyTooLarge,
  discard,
  errorReply,
  HttpError,
  type PlainRequest,
  type Reply,
} from './messages.ts';

/** One of the origins that an emulator serves. */
export interface Site {
  readonly origin: PlainRequest['origin'];
  /** Its own addresses. */
  readonly hosts: ReadonlySet<string>;
  /** Whether a page of an origin may call a target here. */
  readonly isAllowed: (origin: string, target: string) => boolean;
  readonly handle: (request: PlainRequest) => MaybePromise<Reply>;
  /** Whether the credential of a request is one that was made here: of other callers little is read. */
  readonly knowsCaller: (request: Pick<PlainRequest, 'headers'>) => boolean;
}

/** Answers the requests to one origin. */
export function listener(site: Site): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const foreign = foreignTo(request, site);
    if (foreign !== undefined) {
      void send(response, errorReply(foreign), request.method);
      return;
    }
    // Whoever has gone away meanwhile, and whatever cannot be sent, gets no answer.
    try {
      answer(site, request, response)?.catch(() => response.destroy());
    } catch {
      response.destroy();
    }
  };
}

/** Only this machine's own pages and programs: a page elsewhere could reach loopback by its browser. */
function foreignTo(
  { headers, url = '' }: IncomingMessage,
  { hosts, isAllowed }: Site,
): HttpError | undefined {
  if (!hosts.has(headers.host ?? '')) {
    return new HttpError(403, 'foreign_host', 'this Host is not served here');
  }
  const { origin } = headers;
  if (origin === undefined || isAllowed(origin, url)) return undefined;
  return new HttpError(403, 'foreign_origin', 'requests from this Origin are refused');
}

function answer(
  { origin, handle, knowsCaller }: Site,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> | undefined {
  const { method = '', url: target = '', headers } = request;
  const isKnown = (): boolean => knowsCaller({ headers });
  const body = origin === 'blobs' || isStreamed(target) ? request : wholeBody(request, isKnown);
  const signal = (): AbortSignal => signalOf(response);
  const reply = chain(body, (whole) =>
    whole === undefined
      ? errorReply(bodyTooLarge())
      : handle({ method, target, headers, body: whole, origin, signal }),
  );
  if (reply instanceof Promise) return reply.then((sent) => send(response, sent, method));
  return send(response, reply, method);
}

/** Aborts when the caller has gone, or the answer has been sent. */
function signalOf(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  if (response.closed) gone.abort();
  else response.once('close', () => gone.abort());
  return gone.signal;
}

/** More than that is not kept of a body whose caller is refused whatever it sends. */
const UNKNOWN_CALLER_MAX_BYTES = 256 * 1024;

/**
 * Collects a body by events, which is a good deal faster than iterating. Resolves as soon as it need
 * not be kept, with undefined where it is too large and with nothing of it where its caller is not
 * known: the rest is read and dropped, so that the caller gets to read the answer.
 */
function wholeBody(
  request: IncomingMessage,
  isKnown: () => boolean,
): MaybePromise<Uint8Array | undefined> {
  const { headers } = request;
  const length = headers['content-length'];
  if (length === undefined && headers['transfer-encoding'] === undefined) return NO_BODY;
  if (Number(length) > BODY_MAX_BYTES) {
    request.resume();
    return undefined;
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let maxBytes = UNKNOWN_CALLER_MAX_BYTES;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes && maxBytes < BODY_MAX_BYTES && isKnown()) maxBytes = BODY_MAX_BYTES;
      if (size <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
      resolve(maxBytes === BODY_MAX_BYTES ? undefined : NO_BODY);
    });
    request.on('end', () => resolve(joined(chunks)));
    request.on('error', reject);
  });
}

const NO_BODY = new Uint8Array();

function joined(chunks: readonly Buffer[]): Uint8Array {
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
}

/** Sends an answer; what is whole is on its way when this returns. */
function send(response: ServerResponse, reply: Reply, method = ''): Promise<void> | undefined {
  const { status, headers, body, cutAfterBytes } = reply;
  if (cutAfterBytes !== undefined) return cut(response, reply, cutAfterBytes);
  if (body !== null && typeof body !== 'string' && !(body instanceof Uint8Array)) {
    // The first bytes may be long in coming: that there is an answer is told at once.
    response.writeHead(status, headers).flushHeaders();
    return pipeline(body, response);
  }
  const length = body === null ? 0 : Buffer.byteLength(body);
  response.writeHead(status, status === 204 ? headers : { 'content-length': length, ...headers });
  response.end(method === 'HEAD' ? null : body);
  return undefined;
}

/** A broken connection: some bytes of an answer that promises more, or nothing at all. */
async function cut(response: ServerResponse, reply: Reply, bytes: number): Promise<void> {
  const { status, headers, body } = reply;
  if (bytes > 0 && body !== null) {
    const isWhole = typeof body === 'string' || body instanceof Uint8Array;
    const length = isWhole ? Buffer.byteLength(body) : undefined;
    response.writeHead(
      status,
      length === undefined ? headers : { 'content-length': length, ...headers },
    );
    await begin(response, isWhole ? [Buffer.from(body)] : body, bytes);
  }
  discard(reply);
  response.destroy();
}

/** Sends the first bytes of a body, or those that the caller waits for. */
async function begin(
  response: ServerResponse,
  body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  bytes: number,
): Promise<void> {
  let left = bytes;
  for await (const chunk of body) {
    const part = chunk.subarray(0, left);
    left -= part.length;
    const isTaken = await new Promise<boolean>((resolve) => {
      response.write(part, (error) => resolve(!error));
    });
    if (left <= 0 || !isTaken) return;
  }
}
