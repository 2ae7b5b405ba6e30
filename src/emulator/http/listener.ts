import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import {
  BODY_MAX_BYTES,
  bodyTooLarge,
  discard,
  errorReply,
  foreignOrigin,
  HttpError,
  isStream,
  type PlainRequest,
  type Reply,
  type RequestHead,
} from './messages.ts';
import type { OwnHosts } from './own-hosts.ts';

/** Answers requests, whether they come by a connection or not. */
export interface Handler {
  /** Its effect is durable when it resolves. */
  readonly handle: (request: PlainRequest) => Promise<Reply>;
  /** The response to a request that is refused before `handle` is called. */
  readonly refused: (request: RequestHead, error: HttpError) => Reply;
  /** Whether the body of a request is handled as it arrives. */
  readonly takesStream: (request: Pick<RequestHead, 'origin' | 'target'>) => boolean;
}

/** One of the origins that an emulator serves. */
export interface Site extends Handler {
  readonly origin: PlainRequest['origin'];
  readonly hosts: OwnHosts;
  /** Whether a page of an origin may call a target here. */
  readonly isAllowed: (origin: string, target: string) => boolean;
}

/** Answers the requests to one origin. The caller may disconnect at any time: then the connection ends. */
export function listener(
  site: Site,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    try {
      await send(response, await answer(site, request, response), request.method);
    } catch {
      response.destroy();
    }
  };
}

async function answer(
  site: Site,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Reply> {
  const { method = '', url: target = '', headers } = request;
  const { origin } = site;
  const foreign = foreignError(request, site);
  if (foreign !== undefined) return errorReply(foreign);
  const isStreamed = site.takesStream({ origin, target });
  const body = isStreamed ? request : await receiveBody(request);
  if (body === undefined) {
    return site.refused({ headers, origin, target }, bodyTooLarge());
  }
  const signal = (): AbortSignal => signalOf(response);
  const isGone = (): boolean => response.closed;
  return site.handle({ method, target, headers, body, origin, signal, isGone });
}

/** Refuses foreign hosts and origins: a page on another site can reach loopback through its browser. */
function foreignError(
  { headers, url = '' }: IncomingMessage,
  { hosts, isAllowed }: Site,
): HttpError | undefined {
  const { host = '', origin } = headers;
  if (!hosts.has(host)) {
    return new HttpError(403, 'foreign_host', 'this Host is not served here');
  }
  if (origin === undefined || isAllowed(origin, url)) return undefined;
  return foreignOrigin();
}

/** Aborts when the caller disconnects, or the response is sent. */
function signalOf(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  if (response.closed) gone.abort();
  else response.once('close', () => gone.abort());
  return gone.signal;
}

/**
 * The whole body; undefined as soon as it is too large. The rest is read and dropped, so that the caller
 * can read the response.
 */
async function receiveBody(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (length === undefined && encoding === undefined) return new Uint8Array();
  if (Number(length) > BODY_MAX_BYTES) {
    request.resume();
    return undefined;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= BODY_MAX_BYTES) {
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
      request.removeAllListeners('data').resume();
      resolve(undefined);
    });
  });
}

/** Sends a response, if the caller is still there to take it. */
async function send(response: ServerResponse, reply: Reply, method?: string): Promise<void> {
  const { status, headers, body, cutAfterBytes, chunkBytes } = reply;
  if (cutAfterBytes !== undefined) return sendCut(response, reply, cutAfterBytes);
  if (isStream(body)) {
    // The first bytes may take long to come: send the headers at once.
    response.writeHead(status, headers).flushHeaders();
    return pipeline(body, response);
  }
  if (chunkBytes !== undefined && body !== null && method !== 'HEAD') {
    response.writeHead(status, headers);
    for (const chunk of chunksOf(Buffer.from(body), chunkBytes)) response.write(chunk);
    response.end();
    return;
  }
  const length = body === null ? 0 : Buffer.byteLength(body);
  response.writeHead(status, status === 204 ? headers : { 'content-length': length, ...headers });
  response.end(method === 'HEAD' ? null : body);
}

function* chunksOf(body: Buffer, bytes: number): Generator<Buffer> {
  for (let at = 0; at < body.length; at += bytes) yield body.subarray(at, at + bytes);
}

/** Sends only some bytes of a response, or none, and breaks the connection. */
async function sendCut(response: ServerResponse, reply: Reply, bytes: number): Promise<void> {
  const { status, headers, body } = reply;
  if (bytes > 0 && body !== null) {
    const length = isStream(body) ? {} : { 'content-length': Buffer.byteLength(body) };
    response.writeHead(status, { ...length, ...headers });
    await sendFirstBytes(response, isStream(body) ? body : [Buffer.from(body)], bytes);
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
