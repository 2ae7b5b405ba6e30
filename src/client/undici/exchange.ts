import type { Dispatcher } from 'undici';
import { TransportError, type WireExchange, type WireResponse } from '../transport.ts';
import { decoded } from './decoded.ts';

/** So much may have come and not been read, before the other side is made to wait. */
const MAX_UNREAD_BYTES = 256 << 10;

/** Tells what an error of undici means; `started`: some of the request may have gone out. */
type ToError = (error: unknown, started: boolean) => Error;

type Headers = Record<string, string | string[] | undefined>;

/**
 * One request and its answer, as undici tells of them. Its own answers are streams of Node: one of
 * those costs more than all the rest of a small request.
 */
export class DispatchedExchange implements Dispatcher.DispatchHandler, WireExchange {
  readonly response: Promise<WireResponse>;
  readonly #toError: ToError;
  readonly #onReceived: ((bytes: number) => void) | undefined;
  #respond: (response: WireResponse) => void = () => {};
  #refuse: (error: Error) => void = () => {};
  #controller: Dispatcher.DispatchController | undefined;
  #cancelled = false;
  #chunks: Uint8Array[] = [];
  #unread = 0;
  #ended = false;
  #error: Error | undefined;
  #wake: (() => void) | undefined;

  /** `onReceived` is told how many bytes have been taken and are let go of. */
  constructor(toError: ToError, onReceived?: (bytes: number) => void) {
    this.#toError = toError;
    this.#onReceived = onReceived;
    this.response = new Promise((resolve, reject) => {
      this.#respond = resolve;
      this.#refuse = reject;
    });
  }

  readonly cancel = (): void => {
    this.#cancelled = true;
    this.#controller?.abort(new Error('cancelled'));
    // undici says nothing of a request that has no connection yet, or whose answer has ended.
    const why = this.#controller ? 'cancelled' : 'not connected yet';
    this.#fail(new TransportError(why, this.#controller !== undefined));
  };

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#cancelled) controller.abort(new Error('cancelled'));
  }

  onResponseStart(_controller: unknown, status: number, headers: Headers): void {
    // What comes before the answer itself is no answer.
    if (status < 200) return;
    const told = flat(headers);
    const encoding = told['content-encoding'];
    const whole = this.#body();
    const body = encoding ? decoded(whole, encoding, this.#letGo) : whole;
    this.#respond({ status, headers: told, body });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#unread += chunk.length;
    if (this.#unread > MAX_UNREAD_BYTES) controller.pause();
    this.#wake?.();
  }

  onResponseEnd(): void {
    this.#ended = true;
    this.#wake?.();
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#fail(this.#toError(error, this.#controller !== undefined));
  }

  /** What is told first stands. */
  #fail(error: Error): void {
    this.#error ??= error;
    this.#refuse(this.#error);
    this.#wake?.();
  }

  async *#body(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk) {
          this.#unread -= chunk.length;
          yield chunk;
          this.#onReceived?.(chunk.length);
        } else if (this.#ended) return;
        else if (this.#error) throw this.#error;
        else await this.#more();
      }
    } finally {
      this.#letGo();
    }
  }

  /** Whoever stops reading wants nothing more of it: its connection is free for another request. */
  readonly #letGo = (): void => {
    if (!this.#ended) this.#controller?.abort(new Error('cancelled'));
  };

  /**
   * Resolves when there is more to know. It is the promise that comes first: in `resume` undici hands
   * over what it holds at once, be it the end of the answer, and would wake nobody.
   */
  #more(): Promise<void> {
    const more = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#controller?.resume();
    return more;
  }
}

function flat(headers: Headers): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    found[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : (value ?? '');
  }
  return found;
}
