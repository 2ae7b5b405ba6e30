import type { Dispatcher } from 'undici';
import { TransportError, type WireExchange, type WireResponse } from '../transport.ts';

/** How much may be received without being read before the server is paused. */
const MAX_UNREAD_BYTES = 256 << 10;

/** Converts an error of undici; `started`: a part of the request may have been sent. */
type ToError = (error: Error, started: boolean) => Error;

type Headers = Record<string, string | string[] | undefined>;

/**
 * One request and its response, as a dispatch handler of undici. `Dispatcher.request` is not used: it
 * is defined by undici's entry, and its bodies drop what was received before an error.
 */
export class HttpExchange implements Dispatcher.DispatchHandler, WireExchange {
  readonly response: Promise<WireResponse>;
  readonly #toError: ToError;
  #respond: (response: WireResponse) => void = () => {};
  #refuse: (error: Error) => void = () => {};
  #controller: Dispatcher.DispatchController | undefined;
  #isCancelled = false;
  readonly #chunks: Uint8Array[] = [];
  #unread = 0;
  #isEnded = false;
  #error: Error | undefined;
  #wake: () => void = () => {};

  constructor(toError: ToError) {
    this.#toError = toError;
    this.response = new Promise((resolve, reject) => {
      this.#respond = resolve;
      this.#refuse = reject;
    });
  }

  readonly cancel = (): void => {
    this.#isCancelled = true;
    this.#controller?.abort(new Error('cancelled'));
    // undici does not report a request without a connection, or whose response has ended.
    const why = this.#controller ? 'cancelled' : 'not connected yet';
    this.#fail(new TransportError(why, this.#controller !== undefined));
  };

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isCancelled) controller.abort(new Error('cancelled'));
  }

  onResponseStart(_controller: unknown, status: number, headers: Headers): void {
    // An interim response is not the response.
    if (status < 200) return;
    const fields = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    this.#respond({
      status,
      headers: Object.fromEntries(fields),
      body: { [Symbol.asyncIterator]: () => this.#body() },
    });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#unread += chunk.length;
    if (this.#unread > MAX_UNREAD_BYTES) controller.pause();
    this.#wake();
  }

  onResponseEnd(): void {
    this.#isEnded = true;
    this.#wake();
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#fail(this.#toError(error, this.#controller !== undefined));
  }

  /** The first error counts. */
  #fail(error: Error): void {
    this.#error ??= error;
    this.#refuse(this.#error);
    this.#wake();
  }

  async *#body(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk) {
          this.#unread -= chunk.length;
          yield chunk;
        } else if (this.#isEnded) return;
        else if (this.#error) throw this.#error;
        else await this.#more();
      }
    } finally {
      // The rest is not read: frees the connection for another request.
      if (!this.#isEnded) this.#controller?.abort(new Error('cancelled'));
    }
  }

  /**
   * Resolves when there is more to read. The promise is created first: `resume` delivers what undici
   * holds synchronously, even the end of the response, which would otherwise be missed.
   */
  #more(): Promise<void> {
    const more = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#controller?.resume();
    return more;
  }
}
