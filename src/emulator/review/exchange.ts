import * as s from '../../schema/schema.ts';
import { type Reply, sizeOf } from '../http/messages.ts';
import type { Target } from '../service/addresses.ts';
import type { Call, Answered } from '../service/call.ts';
import { memberName } from '../state/people.ts';
import type { EmulatorState } from '../state/state.ts';
import type { CaptureKey } from './captures.ts';

/** A request and its response, without bodies and secrets. */
export const EXCHANGE = {
  number: s.described(s.count, 'counts from 1, over restarts too'),
  time: s.described(s.instant, "when it was answered, by the emulator's clock"),
  started: s.described(s.instant, "when it came, by the machine's clock"),
  origin: s.described(s.oneOf('api', 'blobs'), 'blobs: the origin of the signed addresses'),
  method: s.text,
  path: s.described(s.text, 'path and query; signatures and tokens are redacted'),
  about: s.described(
    s.nullable(s.text),
    'what was called, such as member row or grade; null for other addresses',
  ),
  member: s.described(s.nullable(s.text), 'the member whose row, files or grade it was'),
  member_name: s.described(s.text, "'' where there is none"),
  credential: s.described(
    s.oneOf('launch_token', 'provision_token', 'api_key', 'unknown', null),
    'the kind of the bearer token; null if there was none',
  ),
  launch_id: s.nullable(s.text),
  caller: s.described(s.nullable(s.text), 'the member whose launch made the call'),
  caller_name: s.described(s.text, "'' where there is none"),
  by_lectern: s.described(s.bool, 'whether a command of lectern made the call, not a tool'),
  status: s.described(
    s.nullable(s.httpStatus),
    'null if the connection was closed without a response',
  ),
  bytes: s.count,
  ms: s.anyNumber,
  error: s.described(s.nullable(s.text), 'the message of an error response'),
  failure: s.described(s.nullable(s.text), 'why the attempt failed that a 200 answered'),
  fault: s.described(
    s.oneOf('status', 'close', 'cut', 'delay', null),
    'the effect of the injected fault, if there was one',
  ),
};
const SHOWN = s.object(EXCHANGE);
export type Exchange = s.Static<typeof SHOWN>;

/** The circumstances of an exchange. */
interface Recorded extends Pick<Exchange, 'number' | 'ms' | 'fault'> {
  /** Its number among all events. */
  readonly event: number;
  readonly now: number;
  /** When it arrived, by the machine's clock in ms since the epoch. */
  readonly startedMs: number;
  readonly capture: CaptureKey;
}

/** An exchange as it is stored; it is converted only when it is read. */
export interface StoredExchange
  extends
    Recorded,
    Omit<
      Exchange,
      keyof Recorded | 'time' | 'started' | 'path' | 'member_name' | 'caller_name' | 'status'
    > {
  readonly target: string;
  /** 0 if the connection was closed without a response. */
  readonly status: number;
  /** The path without its secrets, computed on first use. */
  path: string | undefined;
}

const PATH_MAX_CHARACTERS = 2000;

export function storedExchange(
  { request, target, caller: { credential, token } }: Call,
  { reply, facts }: Answered,
  { event, now, startedMs, number, ms, fault, capture }: Recorded,
): StoredExchange {
  const { origin, method } = request;
  const signedAbout = method === 'POST' ? 'upload' : 'download';
  // Each field by its name: a spread makes objects that V8 handles slowly: 37 µs in each request.
  return {
    event,
    now,
    startedMs,
    number,
    ms,
    fault,
    capture,
    origin,
    method,
    target: request.target.slice(0, PATH_MAX_CHARACTERS),
    about: origin === 'blobs' ? signedAbout : aboutOf(target),
    member: facts.attempt?.member ?? memberIn(target),
    credential,
    launch_id: token?.launchId ?? null,
    caller: token?.member || null,
    by_lectern: String(request.headers['user-agent']).startsWith('lectern/'),
    status: reply.cutAfterBytes === 0 ? 0 : reply.status,
    bytes: reply.cutAfterBytes ?? sizeOf(reply),
    error: reply.status >= 400 ? (facts.message ?? errorTextOf(reply)) || null : null,
    failure: facts.attempt?.status === 'failed' ? failureTextOf(reply) : null,
    path: undefined,
  };
}

/** What a request calls, such as `member row`; null for an address of no launch. */
export function aboutOf(target: Target | undefined): string | null {
  if (target === undefined) return null;
  return 'row' in target ? `${target.row.kind} ${target.kind}` : target.kind;
}

function memberIn(target: Target | undefined): string | null {
  if (target === undefined || target.kind === 'provision') return null;
  const { member } = 'row' in target ? target.row : target.grade;
  return member.slice(0, PATH_MAX_CHARACTERS) || null;
}

/** The message of the error envelope, or else its code. */
export function errorTextOf({ body }: Reply): string | null {
  if (typeof body !== 'string') return null;
  try {
    const { error } = JSON.parse(body) as { error?: { code?: string; message?: string } };
    return error?.message ?? error?.code ?? null;
  } catch {
    return /<Message>([^<]*)<\/Message>/.exec(body)?.[1] ?? null;
  }
}

/** The reason in the record of a failed attempt. */
function failureTextOf({ body }: Reply): string | null {
  if (typeof body !== 'string') return null;
  const { data } = JSON.parse(body) as { data?: { error?: string } };
  return data?.error ?? null;
}

/** The path of an exchange without its secrets, computed once. */
export function shownPath({ redact }: Pick<EmulatorState, 'redact'>, each: StoredExchange): string {
  // A signed URL gives access by itself, so its query is as secret as a token.
  each.path ??= redact(each.origin === 'blobs' ? each.target.replace(/\?.*$/s, '?…') : each.target);
  return each.path;
}

export function shownExchange(state: EmulatorState, each: StoredExchange): Exchange {
  const { redact } = state;
  const { number, now, startedMs, origin, method, about, member, credential, caller, status } =
    each;
  const { launch_id, by_lectern, bytes, ms, error, failure, fault } = each;
  return {
    number,
    time: new Date(now).toISOString(),
    started: new Date(startedMs).toISOString(),
    origin,
    method,
    path: shownPath(state, each),
    about,
    member: member && redact(member),
    member_name: member === null ? '' : memberName(state, member),
    credential,
    launch_id,
    caller,
    caller_name: caller === null ? '' : memberName(state, caller),
    by_lectern,
    status: status === 0 ? null : status,
    bytes,
    ms: Math.round(ms * 10) / 10,
    error: error && redact(error),
    failure: failure && redact(failure),
    fault,
  };
}
