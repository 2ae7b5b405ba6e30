import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { MaybePromise } from './maybe-promise.ts';
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
  /** An answer given before that, so that the page that called can read it. */
  readonly readable: (
    request: Pick<PlainRequest, 'headers' | 'origin' | 'target'>,
    reply: Reply,
  ) => Reply;
  /** Whether the emulator issued the credential of a request; of other callers little is read. */
  readonly knowsCaller: (request: Pick<PlainRequest, 'headers'>) => boolean;
}

/** Answers the requests to one origin. */
export function listener(site: Site): (request: IncomingMessage, response: ServerResponse) => void {
  const sendLater = sender();
  return (request, response) => {
    const { method, url = '' } = request;
    const foreign = foreignError(request, site);
    if (foreign !== undefined) {
      sendLater(response, errorReply(foreign), method);
      return;
    }
    const destroy = (): void => void response.destroy();
    const received = (body: PlainRequest['body'] | undefined): void => {
      try {
        const reply = answer(site, request, response, body);
        if (reply instanceof Promise) reply.then((sent) => send(response, sent, method), destroy);
        else sendLater(response, reply, method);
      } catch {
        destroy();
      }
    };
    if (site.origin === 'blobs' || isStreamed(url)) received(request);
    else receiveBody(request, site.knowsCaller, received, destroy);
  };
}

/**
 * Sends the answers of one turn of the event loop at its end, one right after another. Sent one by one,
 * each wakes a caller that has gone to sleep again by the next, which takes as long as all the rest.
 */
function sender(): typeof send {
  let waiting: Parameters<typeof send>[] = [];
  const sendAll = (): void => {
    const all = waiting;
    waiting = [];
    for (const [response, reply, method] of all) send(response, reply, method);
  };
  return (...sent) => {
    if (waiting.push(sent) === 1) setImmediate(sendAll);
  };
}

/** Refuses foreign hosts and origins: a page on another site can reach loopback through its browser. */
function foreignError(
  { headers, url = '' }: IncomingMessage,
  { hosts, isAllowed }: Site,
): HttpError | undefined {
  const { host = '' } = headers;
  if (!hosts.has(host) && !hosts.has(host.toLowerCase())) {
    return new HttpError(403, 'foreign_host', 'this Host is not served here');
  }
  const { origin } = headers;
  if (origin === undefined || isAllowed(origin, url)) return undefined;
  return new HttpError(403, 'foreign_origin', 'requests from this Origin are refused');
}

function answer(
  { origin, handle, readable }: Site,
  request: IncomingMessage,
  response: ServerResponse,
  body: PlainRequest['body'] | undefined,
): MaybePromise<Reply> {
  const { method = '', url: target = '', headers } = request;
  if (body === undefined) return readable({ headers, origin, target }, errorReply(bodyTooLarge()));
  const signal = (): AbortSignal => signalOf(response);
  const isGone = (): boolean => response.closed;
  return handle({ method, target, headers, body, origin, signal, isGone, facts: undefined });
}

/** Aborts when the caller disconnects, or the response is sent. */
function signalOf(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  if (response.closed) gone.abort();
  else response.once('close', () => gone.abort());
  return gone.signal;
}

/** The most that is read into memory for a caller who will be refused anyway. */
const UNKNOWN_CALLER_MAX_BYTES = 256 * 1024;

/**
 * Collects a body by events, which is much faster than iterating, and passes it on. Passes on undefined
 * early if it is too large, and an empty body if its caller is unknown: the rest is read and dropped, so
 * that the caller can read the response. No promise, which would cost each write three of them.
 */
function receiveBody(
  request: IncomingMessage,
  knowsCaller: Site['knowsCaller'],
  received: (body: Uint8Array | undefined) => void,
  failed: () => void,
): void {
  const { headers } = request;
  const length = headers['content-length'];
  if (length === undefined && headers['transfer-encoding'] === undefined) {
    received(NO_BODY);
    return;
  }
  if (Number(length) > BODY_MAX_BYTES) {
    request.resume();
    received(undefined);
    return;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  let maxBytes = UNKNOWN_CALLER_MAX_BYTES;
  let isPassedOn = false;
  request.on('data', (chunk: Buffer) => {
    if (isPassedOn) return;
    size += chunk.length;
    if (size > maxBytes && maxBytes < BODY_MAX_BYTES && knowsCaller(request)) {
      maxBytes = BODY_MAX_BYTES;
    }
    if (size <= maxBytes) {
      chunks.push(chunk);
      return;
    }
    isPassedOn = true;
    chunks.length = 0;
    received(maxBytes === BODY_MAX_BYTES ? undefined : NO_BODY);
  });
  request.on('end', () => {
    if (!isPassedOn) received(concatenated(chunks));
  });
  // After the body was passed on, whoever answers learns of it by the response.
  request.on('error', () => {
    if (!isPassedOn) failed();
  });
}

const NO_BODY = new Uint8Array();

function concatenated(chunks: readonly Buffer[]): Uint8Array {
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
}

/** Sends a response. The caller may have disconnected, or it cannot be sent: then the connection ends. */
function send(response: ServerResponse, reply: Reply, method?: string): void {
  try {
    sendReply(response, reply, method)?.catch(() => response.destroy());
  } catch {
    response.destroy();
  }
}

/** Returns a promise only for a stream, or a part of a response. */
function sendReply(response: ServerResponse, reply: Reply, method = ''): Promise<void> | undefined {
  const { status, headers, body, cutAfterBytes } = reply;
  if (cutAfterBytes !== undefined) return sendCut(response, reply, cutAfterBytes);
  if (body !== null && typeof body !== 'string' && !(body instanceof Uint8Array)) {
    // The first bytes may take long: send the headers at once.
    response.writeHead(status, headers).flushHeaders();
    return pipeline(body, response);
  }
  const length = body === null ? 0 : Buffer.byteLength(body);
  response.writeHead(status, status === 204 ? headers : { 'content-length': length, ...headers });
  response.end(method === 'HEAD' ? null : body);
  return undefined;
}

/** Sends only some bytes of a response, or none, and breaks the connection. */
async function sendCut(response: ServerResponse, reply: Reply, bytes: number): Promise<void> {
  const { status, headers, body } = reply;
  if (bytes > 0 && body !== null) {
    const isWhole = typeof body === 'string' || body instanceof Uint8Array;
    const length = isWhole ? Buffer.byteLength(body) : undefined;
    response.writeHead(
      status,
      length === undefined ? headers : { 'content-length': length, ...headers },
    );
    await sendFirstBytes(response, isWhole ? [Buffer.from(body)] : body, bytes);
  }
  discard(reply);
  response.destroy();
}

/** Sends the first bytes of a body, until the caller disconnects. */
async function sendFirstBytes(
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
