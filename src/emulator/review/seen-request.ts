import { formatPointer } from '../../json/pointer.ts';
import type { Call, RequestCaller } from '../service/call.ts';
import type { EmulatedRow } from '../state/rows.ts';
import { type PlainRequest, type Reply, sizeOf } from '../http/messages.ts';
import type { Target } from '../service/addresses.ts';
import { parsed } from './body-text.ts';
import type { Answered, Facts } from '../service/facts.ts';

/** Where a request went: what its address is for, `signed` on the origin of the signed addresses. */
export type Place = Target['kind'] | 'signed' | 'unknown';

/** A request that was answered, as the rules of the report see it. Nothing of it is kept but what a rule keeps. */
export interface SeenRequest {
  /** As `emulator requests` shows it. */
  readonly number: number;
  /** By the emulator's clock, in ms since the epoch. */
  readonly now: number;
  /** By a clock that never goes back, in ms. */
  readonly begun: number;
  readonly ended: number;
  readonly request: PlainRequest;
  readonly place: Place;
  readonly target: Target | undefined;
  /** 0 where the connection was closed without an answer. */
  readonly status: number;
  /** The caller got no answer, or a part of one. */
  readonly isLost: boolean;
  /** The service has seen it, or the store of the files: an injected response is not theirs. */
  readonly isProcessed: boolean;
  /** The code of a refusal, an injected one too. */
  readonly code: string | undefined;
  readonly caller: RequestCaller;
  /** What the service itself found out. */
  readonly facts: Facts;
}

/** A change of a row by somebody else. */
export interface SeenRowChange {
  readonly name: string;
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array;
  readonly size: number;
}

/** A change of a row by somebody else, as if that had been a request between two others. */
export function changeSeen(
  read: SeenRequest,
  row: EmulatedRow,
  { name, before, after, size }: SeenRowChange,
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

/** What a request looks like when it has been answered. */
export function seenRequest(
  { request, target, caller }: Call,
  { reply, facts }: Answered,
  about: Pick<SeenRequest, 'number' | 'now' | 'begun' | 'ended' | 'isProcessed'>,
): SeenRequest {
  const { number, now, begun, ended, isProcessed } = about;
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
    caller,
    facts,
  };
}

export function placeOf({ origin }: PlainRequest, target: Target | undefined): Place {
  return origin === 'blobs' ? 'signed' : (target?.kind ?? 'unknown');
}

/** Half of a body of one byte is none; of an empty one nothing is sent at all. */
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
