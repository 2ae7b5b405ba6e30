import { type Area, FILE_SIZE, recognise, shownUrl, splitUrl } from '../contract/index.ts';
import { answerText, redacted, retryAfterMs } from './answer-text.ts';
import { NoAnswer, Refusal, UnusableUrl } from './errors.ts';
import { storageCause } from './storage-cause.ts';
import {
  type StreamedBody,
  type Transport,
  TransportError,
  type WireResponse,
} from './transport.ts';

/** What every call of a client shares. */
export interface CallSettings {
  readonly transport: Transport;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Milliseconds since some moment, however the clock is set: durations are told by it. */
  readonly monotonic: () => number;
  /** Acts after that many milliseconds, unless the function that it returns is called before. */
  readonly after: (ms: number, act: () => void) => () => void;
  /**
   * One deadline for the whole call, from the first byte out to the last byte in. A file that is
   * streamed gets a second for every 100 KB besides.
   */
  readonly timeoutMs: number;
  /** Aborts every call, as an interrupt does. */
  readonly signal?: AbortSignal;
  /** What ends the calls under way, for whoever hears that signal: one listener, however many calls. */
  readonly cancels: Set<() => void>;
  /** Texts that must never be shown, should an answer repeat them. */
  readonly secrets?: readonly string[];
  /** Told of each request and its answer; URLs come without their query. */
  readonly observe?: (event: CallEvent) => void;
}

export interface CallEvent {
  readonly area: Call['area'];
  readonly method: string;
  readonly url: string;
  /** The status, or why there is none. */
  readonly outcome: number | string;
  readonly ms: number;
}

export interface Call {
  readonly area: Area | 'signed';
  readonly method: 'GET' | 'PUT' | 'PATCH' | 'DELETE' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | StreamedBody;
  /** Takes the body of a 2xx answer as it comes, instead of its being kept. */
  readonly sink?: Sink;
}

/** Takes an answer that is never whole in memory; of more than `length` bytes it is an error. */
export interface Sink {
  readonly length: number;
  readonly take: (chunk: Uint8Array) => void | Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty where a sink took them. */
  readonly bytes: Uint8Array;
}

/** A JSON answer is at most a row of 1 MB, however indented, or a listing; an error is shorter. */
const MAX_ANSWER_BYTES = 64 << 20;
const MAX_ERROR_BYTES = 64 << 10;

/** What is streamed has, besides the deadline of any call, time for its bytes on a slow line. */
const SLOWEST_BYTES_PER_MS = 100;

/**
 * Makes one call and returns its 2xx answer, whole.
 *
 * Throws `Refusal` for a 4xx, and `NoAnswer` where there is no usable answer: a redirect (never
 * followed), a 5xx, a missing or cut answer. `NoAnswer.inDoubt` is true for a write that may have
 * reached the service.
 */
export async function call(settings: CallSettings, request: Call): Promise<Answer> {
  const split = splitUrl(request.url);
  if ('fault' in split) {
    throw new UnusableUrl(`${shownUrl(request.url)} cannot be called: ${split.fault}`);
  }
  const timeoutMs = settings.timeoutMs + transferMs(request);
  const deadline = startDeadline(settings, timeoutMs);
  const started = settings.monotonic();
  const report = (outcome: number | string): void =>
    settings.observe?.({
      area: request.area,
      method: request.method,
      url: shownUrl(request.url),
      outcome,
      ms: Math.round(settings.monotonic() - started),
    });
  try {
    const answer = await exchange(settings, request, deadline);
    report(answer.status);
    return judge(settings, request, answer);
  } catch (error) {
    if (error instanceof Refusal || error instanceof NoAnswer) throw error;
    const failure = toNoAnswer(error, request, deadline, settings);
    report(failure.reason);
    throw failure;
  } finally {
    deadline.clear();
  }
}

async function exchange(
  settings: CallSettings,
  request: Call,
  deadline: Deadline,
): Promise<Answer> {
  const wire = settings.transport({
    method: request.method,
    url: request.url,
    // Compressed bytes would hide a size from the cap, and a row must come back as it is stored.
    headers: { 'accept-encoding': 'identity', ...request.headers },
    ...(request.body === undefined ? {} : { body: request.body }),
  });
  deadline.watch(wire.cancel);
  const response = await wire.response;
  const ok = response.status >= 200 && response.status < 300;
  if (ok && request.sink) {
    await drain(response, request.sink);
    return { status: response.status, headers: response.headers, bytes: new Uint8Array() };
  }
  const bytes = await readBody(response, ok ? MAX_ANSWER_BYTES : MAX_ERROR_BYTES, ok);
  return { status: response.status, headers: response.headers, bytes };
}

/** Reads at most `maxBytes`. A longer success is an error; a longer error text is merely cut. */
async function readBody(
  response: WireResponse,
  maxBytes: number,
  whole: boolean,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of response.body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) break;
    }
  } catch (error) {
    // The status of an error answer says enough; its text is a courtesy.
    if (whole) throw new CutAnswer(response.status, Buffer.concat(chunks), { cause: error });
  }
  if (whole && size > maxBytes) throw new AnswerTooLarge(maxBytes);
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

async function drain(response: WireResponse, sink: Sink): Promise<void> {
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > sink.length) throw new AnswerTooLarge(sink.length);
    await sink.take(chunk);
  }
}

/** An answer that broke off: what came of it may be all that is ever known of an attempt. */
class CutAnswer extends Error {
  readonly status: number;
  readonly bytes: Uint8Array;

  constructor(status: number, bytes: Uint8Array, options: ErrorOptions) {
    super('the answer was cut short', options);
    this.status = status;
    this.bytes = bytes;
  }
}

class AnswerTooLarge extends Error {
  constructor(maxBytes: number) {
    super(`the answer has more than ${maxBytes} bytes`);
  }
}

function judge(settings: CallSettings, request: Call, answer: Answer): Answer {
  const { status } = answer;
  if (status >= 200 && status < 300) return answer;
  const { area } = request;
  const text = answerText(answer.bytes, settings.secrets);
  const waitMs = retryAfterMs(answer.headers['retry-after'], settings.now());
  if (status >= 400 && status < 500) {
    throw new Refusal({
      area,
      status,
      code: area === 'signed' ? undefined : recognise(area, status, text),
      storageCause: area === 'signed' ? storageCause(status, text) : undefined,
      text,
      retryAfterMs: waitMs,
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
  return redacted(new TextDecoder().decode(bytes), settings.secrets ?? []);
}

/** A 2xx answer whose body cannot be used: for a write, nobody knows what it did. */
export function unusable(
  settings: CallSettings,
  request: Pick<Call, 'method'>,
  answer: Answer,
  why: string,
): NoAnswer {
  return new NoAnswer(`answered ${answer.status}, but ${why}`, {
    reason: 'unusable',
    inDoubt: isWrite(request),
    status: answer.status,
    body: bodyText(settings, answer.bytes),
  });
}

function isWrite(request: Pick<Call, 'method'>): boolean {
  return request.method !== 'GET';
}

interface Deadline {
  readonly timeoutMs: number;
  /** Cancels an exchange when the time is up, or when all is interrupted. */
  readonly watch: (cancel: () => void) => void;
  readonly passed: () => boolean;
  readonly clear: () => void;
}

function transferMs({ body, sink }: Call): number {
  const streamed = body instanceof Uint8Array ? 0 : (body?.length ?? 0);
  // A record may claim any size; no file has more.
  const most = Math.min(streamed + (sink?.length ?? 0), FILE_SIZE.bytes);
  return Math.ceil(most / SLOWEST_BYTES_PER_MS);
}

function startDeadline(settings: CallSettings, timeoutMs: number): Deadline {
  const { signal, cancels } = settings;
  let passed = false;
  let cancel = (): void => {};
  const interrupt = (): void => cancel();
  cancels.add(interrupt);
  const stop = settings.after(timeoutMs, () => {
    passed = true;
    cancel();
  });
  return {
    timeoutMs,
    watch: (act) => {
      cancel = act;
      if (signal?.aborted) act();
    },
    passed: () => passed,
    clear: () => {
      stop();
      cancels.delete(interrupt);
    },
  };
}

function toNoAnswer(
  error: unknown,
  request: Call,
  deadline: Deadline,
  settings: CallSettings,
): NoAnswer {
  const sent = !(error instanceof TransportError) || error.sent;
  const inDoubt = isWrite(request) && sent;
  const cause = { cause: error };
  const partial =
    error instanceof CutAnswer
      ? { status: error.status, body: bodyText(settings, error.bytes) }
      : {};
  if (deadline.passed()) {
    const seconds = deadline.timeoutMs / 1000;
    return new NoAnswer(
      `no answer within ${seconds} s`,
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
  const isUnusable = error instanceof TransportError && error.isUnusable;
  const isTooLarge = error instanceof AnswerTooLarge;
  const reason = isTooLarge ? 'too-large' : isUnusable ? 'unusable' : 'connection';
  return new NoAnswer(
    error instanceof Error ? error.message : String(error),
    { reason, inDoubt, ...partial },
    cause,
  );
}
