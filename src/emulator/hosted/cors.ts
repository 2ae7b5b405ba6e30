import { chain, type MaybePromise } from '../http/maybe-promise.ts';
import { bearerOf, type PlainRequest, type Reply } from '../http/messages.ts';
import { readTarget, ROWS_PREFIX } from '../service/addresses.ts';
import { endOf } from '../service/tokens.ts';
import type { EmulatorState } from '../state.ts';

const PREFLIGHT_SECONDS = 600;

/**
 * The origin of the page that a request comes from, if it may read the answer. Frames may call rows,
 * files, grades, finish calls and the upload origin, but no keys and no removed endpoints; the
 * console's page may upload and download.
 */
export function readerOrigin(
  { hosted, urls }: EmulatorState,
  { headers, origin, target }: Pick<PlainRequest, 'headers' | 'origin' | 'target'>,
): string | undefined {
  const from = headers.origin;
  if (typeof from !== 'string') return undefined;
  if (origin === 'blobs') return hosted.origins.has(from) || from === urls.api ? from : undefined;
  // "404: the row URL does not exist" can be read as well.
  const isService = target.startsWith(ROWS_PREFIX) || readTarget(target) !== undefined;
  return isService && hosted.origins.has(from) ? from : undefined;
}

/**
 * Answers a call from a frame of a hosted tool, which is on another origin than the service. A
 * preflight does not count as a call: no faults, no idle timer, not in the traffic.
 */
export function answerFrame(
  state: EmulatorState,
  request: PlainRequest,
  origin: string,
  answer: (request: PlainRequest) => MaybePromise<Reply>,
): MaybePromise<Reply> {
  const { method, headers } = request;
  if (method === 'OPTIONS' && headers['access-control-request-method'] !== undefined) {
    return preflight(origin);
  }
  return chain(answer(request), (reply) => {
    if (reply.status === 401) noteRefusal(state, request);
    return allowed(reply, origin);
  });
}

/** No Access-Control-Allow-Credentials: a tool's calls carry a token, never cookies. */
export function allowed(reply: Reply, origin: string): Reply {
  const headers = {
    ...reply.headers,
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'ETag, Retry-After, Content-Disposition',
    vary: 'Origin',
  };
  return { ...reply, headers };
}

function preflight(origin: string): Reply {
  return {
    status: 204,
    headers: {
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, HEAD, PUT, PATCH, POST, DELETE',
      'access-control-allow-headers': 'Authorization, Content-Type',
      'access-control-max-age': String(PREFLIGHT_SECONDS),
      vary: 'Origin',
    },
    body: null,
  };
}

/** Tells the course page about refusals that the frame's script does not see, such as a worker's. */
function noteRefusal(state: EmulatorState, request: PlainRequest): void {
  const token = state.tokens.get(bearerOf(request) ?? '');
  if (token === undefined || endOf(token, state.clock.now()) === '') return;
  state.hosted.refused.add(token.launchId);
}
