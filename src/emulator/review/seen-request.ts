import { formatPointer } from '../../json/pointer.ts';
import type { Call, RequestCaller, Answered, Facts } from '../service/call.ts';
import type { EmulatedRow } from '../state/rows.ts';
import { type PlainRequest, type Reply, sizeOf } from '../http/messages.ts';
import type { Target } from '../service/addresses.ts';
import { errorTextOf } from './exchange.ts';

/** What an address is for; `signed` on the origin of the signed URLs. */
export type Place = Target['kind'] | 'signed' | 'unknown';

/** An answered request, as the rules of the report see it. Only what a rule remembers of it is kept. */
export interface SeenRequest {
  /** Its number in `emulator requests`. */
  readonly number: number;
  /** By the emulator's clock, in ms since the epoch. */
  readonly now: number;
  /** By a monotonic clock, in ms. */
  readonly begun: number;
  readonly ended: number;
  readonly request: PlainRequest;
  readonly place: Place;
  readonly target: Target | undefined;
  /** 0 if the connection was closed without an answer. */
  readonly status: number;
  /** The caller got no answer, or only a part of one. */
  readonly isLost: boolean;
  /** Whether the service or the file store handled it: an injected response is not theirs. */
  readonly isProcessed: boolean;
  /** The code of a refusal, also of an injected one. */
  readonly code: string | undefined;
  /** The message of a refusal, or ''; as it was sent, with secrets. */
  readonly message: string;
  readonly caller: RequestCaller;
  readonly facts: Facts;
}

/**
 * Whether this emulator has not issued the caller's credential, which may be from another one that
 * used this address before.
 */
export function isStranger({ credential }: RequestCaller): boolean {
  return credential === null || credential === 'unknown';
}

export interface ForeignWrite {
  readonly name: string;
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array;
  readonly size: number;
}

/** A change of a row by somebody else, as if it were a request between two others. */
export function requestOfAnotherSession(
  read: SeenRequest,
  row: EmulatedRow,
  { name, before, after, size }: ForeignWrite,
): SeenRequest {
  const { request, caller } = read;
  const token = caller.token && { ...caller.token, launchId: 'another session', member: '' };
  const written = { before, after, size, pointers: [formatPointer([name])] };
  return {
    ...read,
    number: read.number + 0.5,
    begun: read.ended,
    request: { ...request, method: 'PATCH' },
    caller: { ...caller, ...(token !== undefined && { token }) },
    facts: { row, written },
  };
}

/** Describes a request after it was answered. */
export function seenRequest(
  { request, target, caller }: Call,
  { reply, facts }: Answered,
  about: Pick<SeenRequest, 'number' | 'now' | 'begun' | 'ended' | 'isProcessed'>,
): SeenRequest {
  const { number, now, begun, ended, isProcessed } = about;
  // Without a spread, for the reason given in `storedExchange`.
  return {
    number,
    now,
    begun,
    ended,
    isProcessed,
    request,
    place: placeOf(request, target),
    target,
    status: reply.status,
    isLost: isCut(reply) || request.isGone?.() === true,
    code: reply.status < 400 ? undefined : (facts.code ?? codeIn(reply)),
    message: reply.status < 400 ? '' : (facts.message ?? errorTextOf(reply) ?? ''),
    caller,
    facts,
  };
}

export function placeOf({ origin }: PlainRequest, target: Target | undefined): Place {
  return origin === 'blobs' ? 'signed' : (target?.kind ?? 'unknown');
}

/** Half of a one-byte body is empty; of an empty body nothing is sent at all. */
function isCut(reply: Reply): boolean {
  const { cutAfterBytes } = reply;
  return cutAfterBytes !== undefined && (cutAfterBytes === 0 || cutAfterBytes < sizeOf(reply));
}

/** The code of an error envelope, or of the XML of the signed addresses. */
function codeIn({ body }: Reply): string | undefined {
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return undefined;
  const text = Buffer.from(body);
  const { error } = (parsed(text) ?? {}) as { error?: { code?: unknown } };
  if (typeof error?.code === 'string') return error.code;
  return /<Code>([^<]*)<\/Code>/.exec(text.toString())?.[1];
}

/** A body as native JSON; undefined if it is not JSON. */
export function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(asBuffer(body).toString());
  } catch {
    return undefined;
  }
}

export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
