import { channel } from 'node:diagnostics_channel';
import { errorReply, HttpError, type PlainRequest, type Reply } from './http/messages.ts';
import { checkSite, isOfConsolePage } from './control/access.ts';
import { CONTROL_PREFIX } from '../control-request.ts';
import { COURSE_PREFIX } from './control/course-address.ts';
import { answerControl } from './control/index.ts';
import type { Control } from './control/operation.ts';
import { answerConsole } from './pages/console.ts';
import { answerCourse } from './pages/course-page.ts';
import { answerToolOrigin } from './pages/tool-origin.ts';
import { metBy } from './review/coverage.ts';
import { exchangeOf } from './review/record.ts';
import { wholeOf } from './review/whole.ts';
import { formatPointer } from '../json/pointer.ts';
import type { Target } from './service/addresses.ts';
import { type Call, callerOf, targetOf, type Answered } from './service/call.ts';
import { BlobHttpError, blobErrorReply } from './service/files/blob-http-error.ts';
import { allowed, noteRefusal, preflightReply, readerOrigin } from './service/hosted/cors.ts';
import { framed, writtenError } from './service/reply.ts';
import { answer } from './service/routes.ts';
import type { EmulatorState } from './state/state.ts';
import { StoreError } from './store/database.ts';
import type { ChaosKind } from './trouble/chaos-kinds.ts';
import {
  answerWith,
  writeAsAnotherSession,
  faultOf,
  isProcessed,
  type Trouble,
} from './trouble/trouble.ts';

export interface App extends Control {
  /** Called for each defect of the emulator, which is answered with 500. */
  readonly report: ((error: unknown) => void) | undefined;
}

export interface PublishedAnswer {
  /** The OpenAPI documents depend on the values of its freedoms. */
  readonly state: EmulatorState;
  readonly request: PlainRequest;
  readonly reply: Reply;
  readonly trouble?: Trouble | undefined;
}

/** Publishes each answer: the tests compare them with the OpenAPI documents. */
const ANSWERS = channel('lectern:emulator:answer');

/**
 * Answers a request to one of the two origins, for the service or for lectern's own pages and
 * control API.
 */
export async function answerRequest(app: App, request: PlainRequest): Promise<Reply> {
  const answered = await answerAny(app, request);
  if (ANSWERS.hasSubscribers)
    ANSWERS.publish({ state: app.state, request, ...answered } satisfies PublishedAnswer);
  return answered.reply;
}

async function answerAny(
  app: App,
  request: PlainRequest,
): Promise<Omit<PublishedAnswer, 'request' | 'state'>> {
  if (request.origin === 'api' && request.target.startsWith(CONTROL_PREFIX)) {
    return { reply: await durably(app, () => answerOwn(app, request), failureReply) };
  }
  if (isNotFromTool(request)) {
    return { reply: (await serveDurably(app, received(app, request))).reply };
  }
  const reader = readerOrigin(app.state, request);
  const preflight = reader === undefined ? undefined : preflightReply(request, reader);
  if (preflight !== undefined) return { reply: preflight };
  const { reply, call, trouble } = await answerService(app, request);
  if (reader === undefined) return { reply, trouble };
  const refusal = reply.status === 401 ? noteRefusal(app.state, call.caller) : undefined;
  return { reply: allowed(reply, reader, refusal), trouble };
}

/** Paths that browsers request by themselves, such as the icon of a page. */
const BROWSER_PATHS = /^\/(?:favicon\.ico|apple-touch-icon[\w-]*\.png)$/;

/** Whether a request is from a browser or lectern, not from a tool: it is left out of the traffic. */
function isNotFromTool({ target, headers }: PlainRequest): boolean {
  if (/^\/_emulator(?:[/?]|$)/.test(target)) return true;
  return headers.authorization === undefined && BROWSER_PATHS.test(target);
}

/** Answers a request to the origin of a hosted tool's frames. */
export function answerTool(app: App, tool: string, request: PlainRequest): Promise<Reply> {
  return durably(app, () => answerToolOrigin(app.state, tool, request), failureReply);
}

/** Answers what is below `CONTROL_PREFIX`: the course page, the console and the control API. */
async function answerOwn(app: App, request: PlainRequest): Promise<Reply> {
  try {
    if (request.target.startsWith(COURSE_PREFIX))
      return await answerCourse(app.state, request, app.faults);
    checkSite(request);
    if (isOfConsolePage(request)) return await answerConsole(app.state, request);
    return await answerControl(app, request);
  } catch (error) {
    if (error instanceof HttpError) return errorReply(error);
    throw error;
  }
}

interface AnsweredCall {
  readonly call: Call;
  readonly reply: Reply;
  /** Its number in the traffic. */
  readonly number: number;
  readonly trouble: Trouble | undefined;
}

/**
 * The life of a request to the service: it is received, may meet a trouble, is answered by the service,
 * its effect becomes durable, and it is recorded before the reply is sent.
 */
export async function answerService(
  app: App,
  request: PlainRequest,
  { isReplay = false } = {},
): Promise<AnsweredCall> {
  const begun = performance.now();
  const call = received(app, request);
  const chosen = chooseTrouble(app, call);
  const serve = (each: Call): Promise<Answered> => serveDurably(app, each);
  const answered =
    chosen === undefined
      ? await serve(call)
      : await answerWith(chosen.trouble, app.state, call, serve);
  const number = record(app, call, answered, { begun, chosen, isReplay });
  await app.exchanges.whenStored();
  return { call, reply: dated(app, answered.reply), number, trouble: chosen?.trouble };
}

/** A moved clock is the service's in `Date` too; Node adds that of the machine. */
function dated({ state: { clock } }: App, reply: Reply): Reply {
  if (clock.offset === 0) return reply;
  return { ...reply, headers: { ...reply.headers, date: new Date(clock.now()).toUTCString() } };
}

function received({ state }: App, request: PlainRequest): Call {
  const caller = callerOf(state, request);
  return { request, target: targetOf(state, request), caller, isScoreRefused: false };
}

/** The trouble that a call meets; `chaos` names it if chaos causes it. */
interface ChosenTrouble {
  readonly trouble: Trouble;
  readonly name?: ChaosKind;
}

/** Injected faults take precedence over chaos. */
function chooseTrouble({ faults, chaos }: App, call: Call): ChosenTrouble | undefined {
  const trouble = faults.take(call.request);
  return trouble === undefined ? chaos?.choose(call) : { trouble };
}

function serveDurably(app: App, call: Call): Promise<Answered> {
  const { state } = app;
  return durably(
    app,
    async () => {
      const { reply, facts } = await answer(state, call);
      return { reply: framed(state, reply), facts };
    },
    (error) => ({ reply: serviceFailure(state, error, call.request), facts: {} }),
  );
}

/**
 * Does work that makes an answer, and resolves when all writes are durable. Even a read waits: it may
 * show what another request of this turn of the event loop has written. Errors are reported, and
 * answered.
 */
async function durably<Answer>(
  { state: { store }, report }: App,
  work: () => Promise<Answer>,
  failed: (error: unknown) => Answer,
): Promise<Answer> {
  try {
    store.recover();
    const answered = await work();
    await store.whenDurable();
    return answered;
  } catch (error) {
    if (!(error instanceof StoreError || isCallerGone(error))) report?.(error);
    return failed(error);
  }
}

/** An incomplete body is the caller's fault, not a bug in the emulator. */
function isCallerGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/** Records an exchange; returns its number. An error in it does not affect the response. */
function record(
  app: App,
  call: Call,
  answered: Answered,
  happened: { begun: number; chosen: ChosenTrouble | undefined; isReplay: boolean },
): number {
  const { exchanges, traffic, report } = app;
  try {
    return addExchange(app, call, answered, happened);
  } catch (error) {
    if (!(error instanceof StoreError)) report?.(error);
    return exchanges.miss((error as Error).message);
  } finally {
    traffic.wake();
  }
}

/** An exchange with another service, which has answered in place of the emulator. */
export interface ObservedExchange {
  readonly request: PlainRequest;
  readonly target: Target | undefined;
  readonly answered: Answered;
  /** By the monotonic clock. */
  readonly begun: number;
}

/** Records an exchange with another service; returns its number. */
export function recordObserved(app: App, exchange: ObservedExchange): number {
  const { request, target, answered, begun } = exchange;
  const call = { request, target, caller: callerOf(app.state, request), isScoreRefused: false };
  return record(app, call, answered, { begun, chosen: undefined, isReplay: false });
}

function addExchange(
  { state, exchanges }: App,
  call: Call,
  answered: Answered,
  { begun, chosen, isReplay }: Parameters<typeof record>[3],
): number {
  const ms = performance.now() - begun;
  const at = state.clock.now();
  // Requests of the console are not made by the tool.
  const { origin } = call.request.headers;
  const isOwn = isReplay || (typeof origin === 'string' && state.urls.isOwn(origin));
  const exchange = exchangeOf(state, call, answered, {
    at,
    started: at - state.clock.offset - ms,
    begun: performance.timeOrigin + begun,
    ms,
    fault: faultOf(chosen?.trouble),
    trouble: chosen?.name ?? null,
    judged: isOwn ? 0 : 1,
    processed: isProcessed(chosen?.trouble) ? 1 : 0,
    meanwhile: writeMeanwhile(state, answered, chosen),
  });
  if (!isOwn && !exchanges.knows(exchange.launch ?? exchange.tool ?? '')) {
    const met = metBy(state, call.caller);
    if (met !== undefined) exchanges.meet(met);
  }
  return exchanges.add(
    exchange,
    wholeOf(call.request, answered.reply, exchange.path, state.redact),
  );
}

/** Writes into a row after it was read, if chaos has chosen that; returns the pointer of the change. */
function writeMeanwhile(
  state: App['state'],
  { reply, facts: { row } }: Answered,
  chosen: ChosenTrouble | undefined,
): string | null {
  if (chosen?.trouble.kind !== 'changed' || row === undefined || reply.status !== 200) return null;
  const name = writeAsAnotherSession(state, row);
  return name === undefined ? null : formatPointer([name]);
}

function failureReply(error: unknown): Reply {
  return errorReply(failureOf(error));
}

function serviceFailure(state: EmulatorState, error: unknown, { origin }: PlainRequest): Reply {
  const failure = failureOf(error);
  if (origin === 'api') return writtenError(state, failure);
  const code = failure.status === 503 ? 'ServiceUnavailable' : 'InternalError';
  return blobErrorReply(state, new BlobHttpError(code, failure.message));
}

function failureOf(error: unknown): HttpError {
  if (!(error instanceof StoreError))
    return new HttpError(500, 'internal', 'a bug in the emulator');
  return new HttpError(503, 'store_failed', `${error.message}; nothing took effect`);
}
