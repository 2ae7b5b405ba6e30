import { formatPointer } from '../../json/pointer.ts';
import type { RowChange } from '../chaos/change-row.ts';
import type { Caller } from '../http/caller.ts';
import { sizeOf } from '../http/faults.ts';
import type { PlainRequest, Reply } from '../http/messages.ts';
import { readTarget, type Target } from '../service/addresses.ts';
import { parsed } from './body-text.ts';
import type { Facts } from './facts.ts';

/** Where a request went: what its address is for, `signed` on the origin of the signed addresses. */
export type Place = Target['is'] | 'signed' | 'unknown';

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
  readonly caller: Caller;
  /** What the service itself found out. */
  readonly facts: Facts;
}

export type RowInStore = NonNullable<Facts['row']>;

/** A change of a row by somebody else, as if that had been a request between two others. */
export function changeSeen(
  read: SeenRequest,
  row: RowInStore,
  { name, before, after, size }: RowChange,
): SeenRequest {
  const { request, caller } = read;
  const token = caller.token && { ...caller.token, launchId: 'another session' };
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
  request: PlainRequest,
  reply: Reply,
  { number, caller, now, started, ended, isProcessed }: Answered,
): SeenRequest {
  const isSigned = request.origin === 'blobs';
  const facts = factsOf(request, reply);
  const code = reply.status < 400 ? undefined : (facts.code ?? codeIn(reply));
  const target = isSigned ? undefined : (facts.target ?? readTarget(request.target));
  return {
    number,
    now,
    begun: started,
    ended,
    request,
    place: isSigned ? 'signed' : (target?.is ?? 'unknown'),
    target,
    status: reply.cutAfterBytes === 0 && reply.status === 0 ? 0 : reply.status,
    isLost: isCut(reply) || request.isGone?.() === true,
    isProcessed,
    code,
    caller,
    facts,
  };
}

interface Answered {
  readonly number: number;
  readonly caller: Caller;
  /** By the emulator's clock, in ms since the epoch. */
  readonly now: number;
  /** By a clock that never goes back, in ms. */
  readonly started: number;
  readonly ended: number;
  readonly isProcessed: boolean;
}

/** Half of a body of one byte is none; of an empty one nothing is sent at all. */
function isCut(reply: Reply): boolean {
  const { cutAfterBytes } = reply;
  return cutAfterBytes !== undefined && (cutAfterBytes === 0 || cutAfterBytes < sizeOf(reply));
}

/** Where a fault or the store refused it, nothing took effect, whatever had been noted. */
function factsOf({ facts = {} }: PlainRequest, { status }: Reply): Facts {
  if (status < 400 || facts.code !== undefined) return facts;
  const { target, row } = facts;
  return { target, row };
}

/** The code of an error envelope, or of the XML of the signed addresses. */
function codeIn({ body }: Reply): string | undefined {
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return undefined;
  const text = Buffer.from(body);
  const { error } = (parsed(text) ?? {}) as { error?: { code?: unknown } };
  if (typeof error?.code === 'string') return error.code;
  return /<Code>([^<]*)<\/Code>/.exec(text.toString())?.[1];
}
