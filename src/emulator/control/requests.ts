import { Readable } from 'node:stream';
import { type CapturedBody, CAPTURED_BODY_BYTES } from '../review/captures.ts';
import { HttpError, type PlainRequest } from '../http/messages.ts';
import type { Redact } from '../../redaction.ts';
import { EXCHANGE, type Exchange } from '../review/exchange.ts';
import { FILTER } from '../review/filter.ts';
import { TRAFFIC_QUERY } from '../review/traffic.ts';
import * as s from '../../schema/schema.ts';
import { notFound } from '../http/fields.ts';
import { EVENT } from './events.ts';
import { type Control, operation, lines } from './operation.ts';

const HALF = s.object({
  headers: s.list(s.typed<readonly [name: string, value: string]>(s.list(s.text))),
  body: s.nullable(
    s.object({
      text: s.described(s.nullable(s.text), 'null for bytes that are not text'),
      bytes: s.count,
      cut: s.bool,
      dropped: s.described(s.bool, 'the text was dropped for later requests'),
    }),
  ),
});
type Half = s.Static<typeof HALF>;

const CAPTURED = s.object({
  ...EXCHANGE,
  captured: s.described(
    s.nullable(s.object({ request: HALF, response: HALF })),
    'null if headers and bodies were dropped for later requests',
  ),
});
type ShownRequest = s.Static<typeof CAPTURED>;

const ONE = s.object({ number: s.described(s.integerIn(1), 'of a request') });

export const REQUEST_OPERATIONS = {
  'GET requests': operation({
    summary:
      'the known requests that match the filter, in order; with a limit only the latest of them',
    takes: TRAFFIC_QUERY,
    answers: s.object({
      requests: s.list(s.object(EXCHANGE)),
      found: s.described(s.count, 'how many of the known requests match'),
      kept: s.described(s.count, 'how many of the latest are kept'),
      cited: s.described(s.count, 'how many older ones are kept because a finding cites them'),
      total: s.described(s.count, 'how many there were since the start or the last reset'),
      next: s.described(s.nullable(s.count), 'before of the next page; null if there is none'),
    }),
    run: ({ traffic }, asked) => traffic.search(asked),
  }),
  'GET requests/follow': lines({
    summary: 'each request, without an end',
    takes: s.object({ 'filter?': FILTER }),
    answers: s.object(EXCHANGE),
    stream: ({ traffic }, { filter }) => traffic.follow(filter),
  }),
  'GET requests/captured': lines({
    summary:
      'the requests that are still known, each as GET request shows it; with a limit the latest',
    takes: s.object({ 'filter?': FILTER, 'limit?': s.integerIn(1) }),
    answers: CAPTURED,
    stream: (control, asked) => Readable.from(captured(control, asked)),
  }),
  'GET request': operation({
    summary: 'a request with its headers and bodies, without secrets',
    takes: ONE,
    answers: CAPTURED,
    run: (control, { number }) => showRequest(control, find(control.traffic, number)),
  }),
  'POST requests/replay': operation({
    summary: 'repeat a request unchanged, as a new request in the traffic',
    takes: ONE,
    answers: s.object({ number: s.count, status: s.nullable(s.httpStatus) }),
    isQuiet: true,
    run: (control, asked) => replay(control, asked.number),
  }),
  'GET events': lines({
    summary: 'requests and changes, without an end',
    takes: s.object({ 'after?': s.described(s.integer, 'the event that was read last') }),
    answers: EVENT,
    stream: ({ events }, { after }) => events.follow(after),
  }),
};

function* captured(
  control: Control,
  { filter = '', limit = Infinity }: { readonly filter?: string; readonly limit?: number },
): Generator<string> {
  const { requests } = control.traffic.search({ filter });
  for (const exchange of requests.slice(Math.max(0, requests.length - limit))) {
    yield `${JSON.stringify(showRequest(control, exchange))}\n`;
  }
}

function showRequest({ traffic, state }: Control, exchange: Exchange): ShownRequest {
  const capture = traffic.capture(exchange.number);
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

/** null for a body that was streamed. */
function shownBody(body: CapturedBody | undefined, redact: Redact): Half['body'] {
  if (body === undefined) return null;
  const text = body.content === undefined ? undefined : decoded(Buffer.from(body.content));
  return {
    text: text === undefined ? null : redact(text),
    bytes: body.size,
    cut: body.size > CAPTURED_BODY_BYTES,
    dropped: body.content === undefined,
  };
}

function decoded(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  // The last character may be cut in two.
  return text.slice(0, -3).includes('\ufffd') ? undefined : text;
}

async function replay(control: Control, number: number) {
  const exchange = find(control.traffic, number);
  const sent = await control.replay(again(control, exchange));
  return { number: sent, status: control.traffic.find(sent)?.status ?? null };
}

function again({ traffic }: Control, { number, origin }: Exchange): PlainRequest {
  if (origin !== 'api') {
    throw new HttpError(
      422,
      'replay.signed',
      'a signed address or form is not sent again from here',
    );
  }
  const { request, sent } = traffic.capture(number) ?? {};
  if (request === undefined || sent?.content === undefined || sent.size > CAPTURED_BODY_BYTES) {
    throw new HttpError(
      422,
      'replay.not_kept',
      `the body of request ${number} was not kept: only the latest bodies are, up to ${CAPTURED_BODY_BYTES} bytes each and 16 MB in all`,
    );
  }
  // A browser's `Origin` would be checked again, but this call is not from a browser.
  const { origin: _origin, ...headers } = request.headers;
  return { ...request, headers, body: Buffer.from(sent.content) };
}
