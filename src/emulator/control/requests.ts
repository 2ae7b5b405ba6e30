import { Readable } from 'node:stream';
import { HttpError, type PlainRequest } from '../http/messages.ts';
import { EXCHANGE, type Exchange } from '../review/exchange.ts';
import type { StoredWhole } from '../review/stored-exchange.ts';
import { KEPT_BODY_BYTES } from '../review/whole.ts';
import { FILTER } from '../review/filter.ts';
import { TRAFFIC_AFTER, TRAFFIC_QUERY } from '../review/traffic.ts';
import * as s from '../../schema/schema.ts';
import { notFound } from '../http/refusals.ts';
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
    summary: 'the latest requests that match the filter, in order; without a limit up to 10,000',
    takes: TRAFFIC_QUERY,
    answers: s.object({
      requests: s.list(s.object(EXCHANGE)),
      found: s.described(s.count, 'how many of the known requests match'),
      kept: s.described(s.count, 'how many are known; only the latest have headers and bodies'),
      total: s.described(s.count, 'how many there were since the start or the last reset'),
      missed: s.described(s.count, 'how many of them could not be stored'),
      missed_why: s.described(s.text, "why the latest of those could not be; '' if there is none"),
      next: s.described(s.nullable(s.count), 'before of the next page; null if there is none'),
    }),
    run: ({ traffic }, asked) => traffic.search(asked),
  }),
  'GET requests/follow': lines({
    summary: 'each request, without an end',
    takes: s.object({ 'filter?': FILTER, 'after?': TRAFFIC_AFTER }),
    answers: s.object(EXCHANGE),
    stream: ({ traffic }, { filter, after }) => traffic.follow(filter, after),
  }),
  'GET requests/captured': lines({
    summary:
      'the requests that are still known, each as GET request shows it; with a limit the latest',
    takes: s.object({ 'filter?': FILTER, 'limit?': s.integerIn(1), 'after?': TRAFFIC_AFTER }),
    answers: CAPTURED,
    stream: (control, asked) => Readable.from(captured(control, asked), { objectMode: false }),
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
    run: (control, asked) => replay(control, asked.number),
  }),
  'GET events': lines({
    summary: 'a line when there were requests or changes, without an end',
    answers: EVENT,
    stream: ({ events }) => events.follow(),
  }),
};

function* captured(
  control: Control,
  { filter, limit, after = 0 }: Omit<s.Static<typeof TRAFFIC_QUERY>, 'before'>,
): Generator<string> {
  const { traffic } = control;
  const requests = traffic.since(after, filter);
  for (const exchange of requests.slice(limit === undefined ? 0 : -limit)) {
    yield `${JSON.stringify(showRequest(control, exchange))}\n`;
  }
}

function showRequest({ exchanges }: Control, exchange: Exchange): ShownRequest {
  const whole = exchanges.whole(exchange.number);
  if (whole === undefined) return { ...exchange, captured: null };
  const { request, response, sent, sent_bytes, answered, answered_bytes, dropped } = whole;
  return {
    ...exchange,
    captured: {
      request: { headers: fieldsIn(request), body: shownBody(sent, sent_bytes, dropped) },
      response: { headers: fieldsIn(response), body: shownBody(answered, answered_bytes, dropped) },
    },
  };
}

function fieldsIn(json: string): Half['headers'] {
  return JSON.parse(json) as Half['headers'];
}

function find(traffic: Control['traffic'], number: number): Exchange {
  const exchange = traffic.find(number);
  if (exchange === undefined) throw notFound('request', String(number));
  return exchange;
}

/** null for a body that was streamed. */
function shownBody(
  text: string | null,
  bytes: number | null,
  dropped: StoredWhole['dropped'],
): Half['body'] {
  if (bytes === null) return null;
  const isDropped = dropped === 1 && bytes > 0;
  const cut = bytes > KEPT_BODY_BYTES;
  return { text: dropped === 1 && bytes === 0 ? '' : text, bytes, cut, dropped: isDropped };
}

async function replay(control: Control, number: number) {
  const exchange = find(control.traffic, number);
  const sent = await control.replay(again(control, exchange));
  return { number: sent, status: control.traffic.find(sent)?.status ?? null };
}

function again(control: Control, exchange: Exchange): PlainRequest {
  const { exchanges } = control;
  const { number, origin, method, path } = exchange;
  if (origin !== 'api') {
    throw new HttpError(
      422,
      'replay.signed',
      'a signed address or form is not sent again from here',
    );
  }
  const whole = exchanges.whole(number);
  if (whole === undefined || whole.dropped === 1 || (whole.sent_bytes ?? 0) > KEPT_BODY_BYTES) {
    throw new HttpError(
      422,
      'replay.not_kept',
      `the body of request ${number} was not kept: only the latest bodies are, up to ${KEPT_BODY_BYTES} bytes each and 16 MB in all`,
    );
  }
  if (whole.exact === 0) {
    throw new HttpError(
      422,
      'replay.redacted',
      `request ${number} had a secret outside its Authorization header, or bytes that are not text: they are not kept`,
    );
  }
  const headers = Object.fromEntries(fieldsIn(whole.request));
  // A browser's `Origin` would be checked again, but this call is not from a browser.
  delete headers.origin;
  const credential = credentialOf(control, exchange);
  if (credential !== undefined) headers.authorization = `Bearer ${credential}`;
  return { method, target: path, headers, origin, body: Buffer.from(whole.sent ?? '') };
}

/** The credential of the caller, which is not stored with the request. */
function credentialOf(
  { state: { tokens, world }, exchanges }: Control,
  { number, launch_id: launch, credential }: Exchange,
): string | undefined {
  if (launch !== null) {
    return tokens.ofLaunch(launch)?.token;
  }
  if (credential !== 'api_key') return undefined;
  const sql = 'SELECT tool FROM exchanges WHERE number = ?';
  const [called] = exchanges.rows<{ tool: string }>(sql, [number]);
  return world.tools.get(called?.tool ?? '')?.api_key;
}
