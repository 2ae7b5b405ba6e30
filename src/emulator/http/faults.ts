import type { MaybePromise } from './maybe-promise.ts';
import type { Delays } from './delays.ts';
import { discard, drain, type PlainRequest, type Reply } from './messages.ts';

/** What goes wrong with an answer. */
export type Effect =
  /** Another answer, and no effect. */
  | {
      readonly is: 'status';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  /** No answer: before any effect, or after it. */
  | { readonly is: 'close'; readonly when: 'before' | 'after' }
  /** The effect, and half of the body. */
  | { readonly is: 'cut' }
  /** The effect, and the answer so many ms later. */
  | { readonly is: 'delay'; readonly ms: number };

/** A mishap, and the answers that it befalls. */
export interface Fault {
  /** Any, where it is ''. */
  readonly method: string;
  /** Looked for in the path and query as they stood in the request line. */
  readonly path: RegExp;
  /** How many answers it is good for. */
  readonly times: number;
  readonly mishap: Effect;
}

/** The faults that wait for their requests, on both origins. They are not kept over a restart. */
export class Faults {
  #waiting: readonly Fault[] = [];

  get waiting(): readonly Fault[] {
    return this.#waiting;
  }

  add(fault: Fault): void {
    this.#waiting = [...this.#waiting, fault];
  }

  clear(): void {
    this.#waiting = [];
  }

  /** The mishap that befalls a request: of the first fault that it matches, which is used up by one. */
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
    return fault.mishap;
  }
}

const NO_ANSWER: Reply = { status: 0, headers: {}, body: null, cutAfterBytes: 0 };

/** Answers a request that a mishap befalls. */
export async function answerWith(
  mishap: Effect,
  request: PlainRequest,
  answer: () => MaybePromise<Reply>,
  delays: Delays,
): Promise<Reply> {
  switch (mishap.is) {
    case 'status':
      await drain(request);
      return { status: mishap.status, headers: mishap.headers, body: mishap.body };
    case 'close':
      if (mishap.when === 'after') discard(await answer());
      return NO_ANSWER;
    case 'cut': {
      const reply = await answer();
      return { ...reply, cutAfterBytes: sizeOf(reply) >> 1 };
    }
    case 'delay': {
      const reply = await answer();
      await delays.wait(mishap.ms, request.signal?.());
      return reply;
    }
  }
}

/** Bytes of a body; of a stream, as its header says. */
export function sizeOf({ headers, body }: Reply): number {
  if (body === null) return 0;
  if (typeof body === 'string' || body instanceof Uint8Array) return Buffer.byteLength(body);
  return Number(headers['content-length'] ?? 0);
}
