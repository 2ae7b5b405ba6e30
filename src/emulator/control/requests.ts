import { type Captures, type CapturedBody, CAPTURED_BODY_BYTES } from '../review/captures.ts';
import { HttpError, type PlainRequest } from '../http/messages.ts';
import type { Redact } from '../../redaction/redact.ts';
import type { Exchange } from '../review/traffic.ts';
import { notFound, numberIn, type Body } from '../http/fields.ts';
import type { Control } from './control.ts';
import { countIn } from './query.ts';

/** The latest of them, where a limit is given, take at most this much. */
const LATEST_BYTES = 800 * 1024;

/** The requests that are still known, in their order; with `limit` the latest of them. */
export function listRequests({ traffic }: Control, given: URLSearchParams) {
  if (!given.has('limit')) return { requests: traffic.after(0) };
  const requests: Exchange[] = [];
  let bytes = 0;
  for (const each of traffic.latest(countIn(given, 'limit'))) {
    bytes += JSON.stringify(each).length;
    if (bytes > LATEST_BYTES) break;
    requests.push(each);
  }
  return { requests: requests.reverse() };
}

/** A request with its headers and bodies, where they were kept; secrets taken out. */
export function showRequest({ traffic, state }: Control, given: URLSearchParams) {
  const number = countIn(given, 'number');
  const exchange = find(traffic, number);
  const capture = traffic.captures.get(number);
  if (capture === undefined) return { ...exchange, captured: null };
  const { request, replyHeaders, sent, answered } = capture;
  const { redact } = state;
  return {
    ...exchange,
    captured: {
      request: { headers: shownHeaders(request.headers, redact), body: shownBody(sent, redact) },
      response: { headers: shownHeaders(replyHeaders, redact), body: shownBody(answered, redact) },
    },
  };
}

function find(traffic: Control['traffic'], number: number): Exchange {
  const exchange = traffic.find(number);
  if (exchange === undefined) throw notFound('request', `${number}: only the latest are kept`);
  return exchange;
}

const CREDENTIALS = /^(authorization|proxy-authorization|cookie|set-cookie)$/;

function shownHeaders(
  headers: PlainRequest['headers'],
  redact: Redact,
): [name: string, value: string][] {
  return Object.entries(headers).flatMap(([name, given]) =>
    [given ?? []].flat().map((value): [string, string] => {
      const isCredential = CREDENTIALS.test(name);
      return [redact(name), isCredential ? value.replace(/^(\w+ )?.*$/s, '$1…') : redact(value)];
    }),
  );
}

/** null for what went by as a stream. */
function shownBody(body: CapturedBody | undefined, redact: Redact) {
  if (body === undefined) return null;
  const text = decoded(body.bytes);
  return {
    /** null for bytes that are not text. */
    text: text === undefined ? null : redact(text),
    bytes: body.size,
    cut: body.size > CAPTURED_BODY_BYTES,
  };
}

function decoded(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  // The last character may be cut in two.
  return text.slice(0, -3).includes('\ufffd') ? undefined : text;
}

/** Sends a request once more, as it was; it is another request among the traffic. */
export async function replay(control: Control, body: Body) {
  const number = numberIn(body, 'number');
  const exchange = find(control.traffic, number);
  const sent = await control.replay(again(control, exchange));
  return { number: sent, status: control.traffic.find(sent)?.status ?? null };
}

function again(control: Control, exchange: Exchange): PlainRequest {
  const { number, origin } = exchange;
  if (origin !== 'api') {
    throw new HttpError(
      422,
      'replay.signed',
      'a signed address or form is not sent again from here',
    );
  }
  const capture = control.traffic.captures.get(number);
  if (capture === undefined) return withoutBody(control, exchange);
  const { request, sent } = capture;
  if (sent === undefined || sent.size > CAPTURED_BODY_BYTES) throw notKept(number, 'body');
  // Whoever sent it need not be asked: it is not a browser's call any more.
  const { origin: _origin, ...headers } = request.headers;
  return { ...request, headers, body: sent.bytes };
}

/** Of a request that was not captured, what is known is enough only where there was no body. */
function withoutBody({ state }: Control, exchange: Exchange): PlainRequest {
  const { method, path, launch_id: launchId, number } = exchange;
  const isWhole = ['GET', 'HEAD', 'DELETE'].includes(method) && !path.includes('…');
  if (!isWhole) throw notKept(number, 'body');
  const token = [...state.tokens.values()].find((each) => each.launchId === launchId);
  if (token === undefined) throw notKept(number, 'credential');
  const headers = { authorization: `Bearer ${token.token}` };
  return { method, target: path, headers, body: new Uint8Array(), origin: 'api' };
}

function notKept(number: number, what: string): HttpError {
  return new HttpError(
    422,
    'replay.not_kept',
    `the ${what} of request ${number} was not kept; bodies up to ${CAPTURED_BODY_BYTES} bytes are, while a console is open or with emulator start --capture`,
  );
}

/** Whoever follows the events looks at requests too. */
export function followEvents({ traffic, events }: Control, given: URLSearchParams) {
  const after = given.get('after');
  const stream = events.follow(after === null ? undefined : Number(after));
  const captures: Captures = traffic.captures;
  stream.once('close', captures.watch());
  return stream;
}
