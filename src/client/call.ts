import { type Area, originOf, recognise, shownUrl, splitUrl } from '../contract/index.ts';
import { answerText, httpDateMs, retryAfterMs } from './answer-text.ts';
import { Deadline, type DeadlineSettings, pieceBytes } from './deadline.ts';
import { decoded } from './decoded.ts';
import {
  type Caller,
  NoAnswer,
  PolicyError,
  Refusal,
  UnusableUrl,
  storageCause,
} from './errors.ts';
import type { Redact } from '../redaction.ts';
import {
  type StreamedBody,
  type Transport,
  TransportError,
  type WireResponse,
} from './transport.ts';

/** What every call of a client shares. */
export interface CallSettings extends DeadlineSettings {
  readonly transport: Transport;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Redacts the secrets of a call in response texts, before they are stored or shown. */
  readonly redact: Redact;
  /** What calls are made with. */
  readonly caller: Caller;
  /** Whether the policy lets a call change something; absent if it always does. */
  readonly mayWrite?: () => Promise<boolean>;
  /** Called after each request; URLs have no query. */
  readonly observe?: (event: CallEvent) => void;
}

export interface CallEvent {
  readonly area: ClientCall['area'];
  readonly method: string;
  readonly url: string;
  /** The status, or why there is none. */
  readonly outcome: number | string;
  readonly ms: number;
}

export interface ClientCall {
  readonly area: Area | 'signed';
  readonly method: 'GET' | 'PUT' | 'PATCH' | 'DELETE' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | StreamedBody;
  /** Receives the body of a 2xx answer as it arrives. */
  readonly sink?: Sink;
}

/** Receives an answer as a stream; more than `length` bytes are an error. */
export interface Sink {
  readonly length: number;
  readonly take: (chunk: Uint8Array) => void | Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty if a sink received them. */
  readonly bytes: Uint8Array;
  /** How many bytes were received. */
  readonly size: number;
}

/** The first error of reading or writing a file: it is thrown unchanged, and is no error of the call. */
interface LocalSide {
  failure?: { readonly error: unknown };
}

/** Compressed bytes would bypass the size limit, and a row must come back as it is stored. */
export const COMMON_HEADERS = { 'accept-encoding': 'identity' } as const;

/** A JSON answer is at most a row of 1 MB, however indented, or a listing; an error is shorter. */
const MAX_ANSWER_BYTES = 64 << 20;
const MAX_ERROR_BYTES = 64 << 10;

/**
 * Makes one call and returns its complete 2xx answer.
 *
 * Throws `Refusal` for a 4xx, and `NoAnswer` if there is no usable answer: a redirect (never followed),
 * a 5xx, a missing or incomplete answer. `NoAnswer.inDoubt` is true for a write that may have reached
 * the service. Throws `PolicyError` for a write that the policy refuses.
 */
export async function call(settings: CallSettings, request: ClientCall): Promise<Answer> {
  const split = splitUrl(request.url);
  if ('fault' in split) {
    throw new UnusableUrl(`${shownUrl(request.url)} cannot be called: ${split.fault}`);
  }
  if (settings.mayWrite && isWrite(request) && !(await settings.mayWrite())) {
    throw new PolicyError(`${request.method} ${shownUrl(request.url)}`);
  }
  const deadline = new Deadline(settings);
  const local: LocalSide = {};
  try {
    const answer = await deadline.limit(exchange(settings, request, deadline, local));
    report(settings, request, answer.status, deadline.startedAt);
    return checkStatus(settings, request, answer);
  } catch (error) {
    if (local.failure) throw local.failure.error;
    if (error instanceof Refusal || error instanceof NoAnswer) throw error;
    const failure = toNoAnswer(error, request, deadline, settings);
    report(settings, request, failure.reason, deadline.startedAt);
    throw failure;
  } finally {
    deadline.clear();
  }
}

function report(
  { observe, monotonic }: CallSettings,
  { area, method, url }: ClientCall,
  outcome: number | string,
  startedAt: number,
): void {
  if (!observe) return;
  const ms = Math.round(monotonic() - startedAt);
  observe({ area, method, url: shownUrl(url), outcome, ms });
}

async function exchange(
  settings: CallSettings,
  request: ClientCall,
  deadline: Deadline,
  local: LocalSide,
): Promise<Answer> {
  const wire = settings.transport({
    method: request.method,
    url: request.url,
    headers: request.headers,
    ...(request.body === undefined
      ? {}
      : { body: inPieces(request.body, settings, deadline, local) }),
  });
  deadline.watch(wire.cancel);
  const response = await wire.response;
  const { status, headers } = response;
  const ok = status >= 200 && status < 300;
  if (ok && request.sink) {
    const size = await readIntoSink(response, request.sink, deadline, local);
    return { status, headers, bytes: new Uint8Array(), size };
  }
  const maxBytes = ok ? MAX_ANSWER_BYTES : MAX_ERROR_BYTES;
  const { bytes, error } = await collect(response, maxBytes);
  // The status of an error is enough; its text is optional.
  if (ok && error instanceof AnswerTooLarge) throw error;
  // A 204 has no content, whatever follows it (RFC 9110, 15.3.5).
  if (ok && error && status !== 204) throw new IncompleteAnswer(status, bytes, { cause: error });
  return { status, headers, bytes, size: bytes.length };
}

/** What arrives of a body of at most `maxBytes`, and the error that ended it. */
async function collect(
  { headers, body }: WireResponse,
  maxBytes: number,
): Promise<{ bytes: Uint8Array; error?: unknown }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) throw new AnswerTooLarge(maxBytes);
    }
    const bytes = Buffer.concat(chunks);
    const encoding = headers['content-encoding'];
    return { bytes: encoding ? await decoded(bytes, encoding, maxBytes) : bytes };
  } catch (error) {
    return { bytes: Buffer.concat(chunks), error };
  }
}

/** Splits the bytes of a file so that progress is visible. A piece was sent when the next is requested. */
function inPieces(
  body: Uint8Array | StreamedBody,
  { timeoutMs }: CallSettings,
  deadline: Deadline,
  local: LocalSide,
): Uint8Array | StreamedBody {
  if (body instanceof Uint8Array) return body;
  const most = pieceBytes(timeoutMs);
  const { length, chunks } = body;
  async function* pieces(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of chunks()) {
        for (let at = 0; at < chunk.length; at += most) {
          const piece = chunk.subarray(at, at + most);
          yield piece;
          deadline.moved(piece.length);
        }
      }
    } catch (error) {
      local.failure ??= { error };
      throw error;
    }
  }
  return { length, chunks: pieces };
}

/** A body as it arrives; a compressed one is decoded as a whole. */
async function* decodedBody(response: WireResponse): AsyncGenerator<Uint8Array> {
  if (response.headers['content-encoding'] === undefined) return yield* response.body;
  const { bytes, error } = await collect(response, MAX_ANSWER_BYTES);
  if (error !== undefined) throw error;
  yield bytes;
}

/** Returns the number of bytes. */
async function readIntoSink(
  response: WireResponse,
  sink: Sink,
  deadline: Deadline,
  local: LocalSide,
): Promise<number> {
  async function* received(): AsyncGenerator<Uint8Array> {
    for await (const chunk of response.body) {
      deadline.moved(chunk.length);
      yield chunk;
    }
  }
  let size = 0;
  for await (const chunk of decodedBody({ ...response, body: received() })) {
    size += chunk.length;
    if (size > sink.length) throw new AnswerTooLarge(sink.length);
    try {
      await sink.take(chunk);
    } catch (error) {
      local.failure ??= { error };
      throw error;
    }
  }
  return size;
}

/** An incomplete answer: what was received may be the only record of an attempt. */
class IncompleteAnswer extends Error {
  readonly status: number;
  readonly bytes: Uint8Array;

  constructor(status: number, bytes: Uint8Array, options: ErrorOptions) {
    super(isUnusable(options.cause) ? options.cause.message : 'the answer was cut short', options);
    this.status = status;
    this.bytes = bytes;
  }
}

/** A complete answer that cannot be read. */
function isUnusable(cause: unknown): cause is TransportError {
  return cause instanceof TransportError && cause.isUnusable;
}

class AnswerTooLarge extends Error {
  constructor(maxBytes: number) {
    super(`the answer has more than ${maxBytes} bytes`);
  }
}

function checkStatus(settings: CallSettings, request: ClientCall, answer: Answer): Answer {
  const { status } = answer;
  if (status >= 200 && status < 300) return answer;
  const { area } = request;
  const text = answerText(answer.bytes, settings.redact);
  // A date is by the service's clock, from which the one of this machine may differ.
  const dateMs = httpDateMs(answer.headers.date);
  const waitMs = retryAfterMs(answer.headers['retry-after'], dateMs ?? settings.now());
  if (status >= 400 && status < 500) {
    const known = { isRead: !isWrite(request), isOfKey: settings.caller.kind === 'api_key' };
    const code = area === 'signed' ? undefined : recognise(area, status, text, known);
    throw new Refusal({
      area,
      status,
      code,
      storageCause: area === 'signed' ? storageCause(status, text) : undefined,
      text: text === code ? '' : text,
      retryAfterMs: waitMs,
      dateMs,
      url: shownUrl(request.url),
      isWrite: isWrite(request),
      caller: settings.caller,
    });
  }
  const redirect = status >= 300 && status < 400;
  throw new NoAnswer(
    redirect
      ? `answered ${status}, a redirect, which is never followed`
      : `answered ${status}${text === '' ? '' : `: ${text}`}`,
    {
      reason: redirect ? 'redirect' : 'server-error',
      inDoubt: isWrite(request),
      status,
      body: bodyText(settings, answer.bytes),
      retryAfterMs: waitMs,
    },
  );
}

/** A body as text, without a credential that a misbehaving service might echo. */
function bodyText(settings: CallSettings, bytes: Uint8Array): string {
  return settings.redact(new TextDecoder().decode(bytes));
}

/** The error for a 2xx answer with an unusable body: a write is then in doubt. */
export function unusable(
  settings: CallSettings,
  request: Pick<ClientCall, 'method'>,
  answer: Answer,
  why: string,
): NoAnswer {
  return new NoAnswer(`answered ${answer.status}, but ${settings.redact(why)}`, {
    reason: 'unusable',
    inDoubt: isWrite(request),
    status: answer.status,
    body: bodyText(settings, answer.bytes),
  });
}

function isWrite(request: Pick<ClientCall, 'method'>): boolean {
  return request.method !== 'GET';
}

function toNoAnswer(
  error: unknown,
  request: ClientCall,
  deadline: Deadline,
  settings: CallSettings,
): NoAnswer {
  const sent = !(error instanceof TransportError) || error.sent;
  const inDoubt = isWrite(request) && sent;
  const cause = { cause: error };
  const partial =
    error instanceof IncompleteAnswer
      ? { status: error.status, body: bodyText(settings, error.bytes) }
      : {};
  if (deadline.hasPassed) {
    return new NoAnswer(
      timeoutMessage(request, settings.timeoutMs / 1000, deadline.movedBytes),
      { reason: 'timeout', inDoubt, ...partial },
      cause,
    );
  }
  if (settings.signal?.aborted) {
    return new NoAnswer(
      'interrupted before the answer',
      { reason: 'interrupted', inDoubt, ...partial },
      cause,
    );
  }
  const isTooLarge = error instanceof AnswerTooLarge;
  const reason = isTooLarge ? 'too-large' : isUnusable(error) ? 'unusable' : 'connection';
  const unreached = sent ? undefined : originOf(request.url);
  return new NoAnswer(
    error instanceof Error ? error.message : String(error),
    { reason, inDoubt, ...partial, unreached, caller: settings.caller },
    cause,
  );
}

/** The message of a timeout: no answer, or the bytes of a file were too slow. */
function timeoutMessage({ body, sink }: ClientCall, seconds: number, movedBytes: number): string {
  const toSend = body === undefined || body instanceof Uint8Array ? 0 : body.length;
  const isMoving = movedBytes > 0 && (sink !== undefined || movedBytes < toSend);
  if (!isMoving) return `no answer within ${seconds} s`;
  return `fewer than 1 KB/s ${sink ? 'came' : 'went'} over ${seconds} s`;
}
