import { Readable } from 'node:stream';
import type { Handler } from './listener.ts';
import {
  bodyOf,
  discard,
  errorReply,
  HttpError,
  isStream,
  type PlainRequest,
  type Reply,
} from './messages.ts';

type StreamHandler = Pick<Handler, 'handle' | 'takesStream'>;

/**
 * Wraps a handler of plain requests as `fetch(Request) → Promise<Response>`. `blobs` is the base URL of
 * the signed URLs; all others are the API's.
 */
export function fetchHandler(
  handler: StreamHandler,
  blobs: string,
): (request: Request) => Promise<Response> {
  return async (request) => responseOf(await answerWhole(plainRequest(request, blobs), handler));
}

/** As by the listener, the handler gets a body whole, unless it is to be streamed. */
async function answerWhole(
  request: PlainRequest,
  { handle, takesStream }: StreamHandler,
): Promise<Reply> {
  if (takesStream(request)) return handle(request);
  try {
    return await handle({ ...request, body: await bodyOf(request) });
  } catch (error) {
    if (error instanceof HttpError) return errorReply(error);
    throw error;
  }
}

function plainRequest(request: Request, blobs: string): PlainRequest {
  const { origin } = new URL(request.url);
  return {
    method: request.method,
    target: request.url.slice(origin.length),
    headers: Object.fromEntries(request.headers),
    body: (request.body as AsyncIterable<Uint8Array> | null) ?? new Uint8Array(),
    origin: origin === new URL(blobs).origin ? 'blobs' : 'api',
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
  const init = isStream(body) ? Readable.toWeb(body) : body;
  return new Response(init as ConstructorParameters<typeof Response>[0], { status, headers });
}
