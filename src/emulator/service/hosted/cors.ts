import type { PlainRequest, Reply, RequestHead } from '../../http/messages.ts';
import { isBelowRows, readTarget } from '../addresses.ts';
import { endOf } from '../../state/tokens.ts';
import type { EmulatorState } from '../../state/state.ts';
import type { RequestCaller } from '../call.ts';

const PREFLIGHT_SECONDS = 600;

/**
 * The origin of the calling page if it may read the answer. Frames may call rows, files, grades,
 * finish calls and the upload origin, but no keys and no removed endpoints; the console's page may
 * upload and download.
 */
export function readerOrigin(
  state: EmulatorState,
  { headers, origin, target }: RequestHead,
): string | undefined {
  const { hosted, urls } = state;
  const from = headers.origin;
  if (typeof from !== 'string') return undefined;
  if (origin === 'blobs') return hosted.origins.has(from) || urls.isOwn(from) ? from : undefined;
  // "404: the row URL does not exist" can be read as well.
  const isService = isBelowRows(state, target) || readTarget(state, target) !== undefined;
  return isService && hosted.origins.has(from) ? from : undefined;
}

/**
 * A header of lectern's own: in a 401 it names the launch whose token ended, for the script in the
 * tool's pages.
 */
const ENDED_HEADER = 'lectern-session-ended';

/** No Access-Control-Allow-Credentials: a tool's calls carry a token, never cookies. */
export function allowed(reply: Reply, origin: string, endedLaunch?: string): Reply {
  const headers = {
    ...reply.headers,
    ...(endedLaunch !== undefined && { [ENDED_HEADER]: endedLaunch }),
    'access-control-allow-origin': origin,
    'access-control-expose-headers': `ETag, Retry-After, Content-Disposition, ${ENDED_HEADER}`,
    vary: 'Origin',
  };
  return { ...reply, headers };
}

/**
 * The answer to the preflight of a page's call; undefined for any other request. It does not count as a
 * call: no faults, no idle timer, not in the traffic.
 */
export function preflightReply(
  { method, headers }: PlainRequest,
  origin: string,
): Reply | undefined {
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) {
    return undefined;
  }
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

/**
 * The launch whose token ended, if a frame's call was refused. The course page gets it from here:
 * the script in the tool's pages does not see all calls, such as those of a Worker.
 */
export function noteRefusal(state: EmulatorState, { token }: RequestCaller): string | undefined {
  if (token === undefined || endOf(token, state.clock.now()) === '') return undefined;
  state.hosted.refused.add(token.launch_id);
  return token.launch_id;
}
