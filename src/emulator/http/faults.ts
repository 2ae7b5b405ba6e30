import type { MaybePromise } from './maybe-promise.ts';
import type { Delays } from './delays.ts';
import { discard, drain, type PlainRequest, type Reply } from './messages.ts';

/** What a fault does to a response. */
export type Effect =
  /** Another response; the request has no effect. */
  | {
      readonly is: 'status';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  /** No response: before the request takes effect, or after. */
  | { readonly is: 'close'; readonly when: 'before' | 'after' }
  /** The request takes effect; half of the body is sent. */
  | { readonly is: 'cut' }
  /** The request takes effect; the response is sent `ms` later. */
  | { readonly is: 'delay'; readonly ms: number };

/** An injected fault: its effect, and the requests that it matches. */
export interface Fault {
  /** Counts up from 1. */
  readonly id: number;
  /** '' for any. */
  readonly method: string;
  /** Matched against path and query, as in the request line. */
  readonly path: RegExp;
  /** How many more requests it applies to. */
  readonly times: number;
  readonly effect: Effect;
}

/** The faults that wait for matching requests, on both origins. A restart drops them. */
export class Faults {
  #waiting: readonly Fault[] = [];
  #count = 0;

  get waiting(): readonly Fault[] {
    return this.#waiting;
  }

  add(fault: Omit<Fault, 'id'>): void {
    this.#waiting = [...this.#waiting, { ...fault, id: ++this.#count }];
  }

  /** Takes one away; false where it does not wait, or no longer. */
  remove(id: number): boolean {
    const before = this.#waiting.length;
    this.#waiting = this.#waiting.filter((each) => each.id !== id);
    return this.#waiting.length < before;
  }

  clear(): void {
    this.#waiting = [];
  }

  /** The effect of the first fault that a request matches, which then applies to one request less. */
  take({ method, target }: PlainRequest): Effect | undefined {
    if (this.#waiting.length === 0) return undefined;
    const fault = this.#waiting.find(
      (each) => (each.method === '' || each.method === method) && each.path.test(target),
    );
    if (fault === undefined) return undefined;
    const left = { ...fault, times: fault.times - 1 };
    this.#waiting = this.#waiting.flatMap((each) =>
      each !== fault ? each : left.times > 0 ? left : [],
    );
    return fault.effect;
  }
}

/** Whether the service sees a request that meets an effect. */
export function isProcessed(effect: Effect | undefined): boolean {
  if (effect?.is === 'close') return effect.when === 'after';
  return effect?.is !== 'status';
}

const NO_ANSWER: Reply = { status: 0, headers: {}, body: null, cutAfterBytes: 0 };

/** Answers a request with the effect of a fault. */
export async function answerWith(
  effect: Effect,
  request: PlainRequest,
  answer: () => MaybePromise<Reply>,
  delays: Delays,
): Promise<Reply> {
  switch (effect.is) {
    case 'status':
      await drain(request);
      return { status: effect.status, headers: effect.headers, body: effect.body };
    case 'close':
      if (effect.when === 'after') discard(await answer());
      return NO_ANSWER;
    case 'cut': {
      const reply = await answer();
      return { ...reply, cutAfterBytes: sizeOf(reply) >> 1 };
    }
    case 'delay': {
      const reply = await answer();
      await delays.wait(effect.ms, request.signal?.());
      return reply;
    }
  }
}

/** Bytes of a body; for a stream, from its header. */
export function sizeOf({ headers, body }: Reply): number {
  if (body === null) return 0;
  if (typeof body === 'string' || body instanceof Uint8Array) return Buffer.byteLength(body);
  return Number(headers['content-length'] ?? 0);
}
