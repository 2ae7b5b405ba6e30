import { Readable } from 'node:stream';
import type { MaybePromise } from './maybe-promise.ts';
import { isStreamed } from '../control/index.ts';
import {
  bodyOf,
  discard,
  errorReply,
  HttpError,
  type PlainRequest,
  type Reply,
} from './messages.ts';
import type { Urls } from '../state.ts';

/** Wraps a handler of plain requests as `fetch(Request) → Promise<Response>`. */
export function fetchHandler(
  handle: (request: PlainRequest) => MaybePromise<Reply>,
  urls: Urls,
): (request: Request) => Promise<Response> {
  return async (request) => responseOf(await answerWhole(plainRequest(request, urls), handle));
}

/** As by the listener, the handler gets a body whole, unless it is to be streamed. */
async function answerWhole(
  request: PlainRequest,
  handle: (request: PlainRequest) => MaybePromise<Reply>,
): Promise<Reply> {
  if (request.origin === 'blobs' || isStreamed(request.target)) return handle(request);
  try {
    return await handle({ ...request, body: await bodyOf(request) });
  } catch (error) {
    if (error instanceof HttpError) return errorReply(error);
    throw error;
  }
}

function plainRequest(request: Request, urls: Urls): PlainRequest {
  const { origin } = new URL(request.url);
  return {
    method: request.method,
    target: request.url.slice(origin.length),
    headers: Object.fromEntries(request.headers),
    body: (request.body as AsyncIterable<Uint8Array> | null) ?? new Uint8Array(),
    origin: origin === new URL(urls.blobs).origin ? 'blobs' : 'api',
    signal: () => request.signal,
    isGone: () => request.signal.aborted,
  };
}

function responseOf(reply: Reply): Response {
  const { status, headers, body, cutAfterBytes } = reply;
  if (cutAfterBytes !== undefined) {
    discard(reply);
    throw new TypeError('fetch failed: the connection was closed');
  }
  const isBytes = body === null || typeof body === 'string' || body instanceof Uint8Array;
  const init = isBytes ? body : Readable.toWeb(body);
  return new Response(init as ConstructorParameters<typeof Response>[0], { status, headers });
}
