import type { Dispatcher } from 'undici';
import { TransportError, type WireExchange, type WireResponse } from '../transport.ts';
import { decoded } from './decoded.ts';

/** How much may be received without being read before the server is paused. */
const MAX_UNREAD_BYTES = 256 << 10;

/** Converts an error of undici; `started`: a part of the request may have been sent. */
type ToError = (error: unknown, started: boolean) => Error;

type Headers = Record<string, string | string[] | undefined>;

/**
 * One request and its response, as a dispatch handler of undici. undici's own responses are Node
 * streams, which cost more than all the rest of a small request.
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

  /** @param onReceived called with the number of bytes that were consumed and released */
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
    // undici does not report a request without a connection, or whose response has ended.
    const why = this.#controller ? 'cancelled' : 'not connected yet';
    this.#fail(new TransportError(why, this.#controller !== undefined));
  };

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#cancelled) controller.abort(new Error('cancelled'));
  }

  onResponseStart(_controller: unknown, status: number, headers: Headers): void {
    // An interim response is not the response.
    if (status < 200) return;
    const flattened = flat(headers);
    const encoding = flattened['content-encoding'];
    const whole = { [Symbol.asyncIterator]: () => this.#body() };
    if (encoding) {
      const body = decoded(whole, encoding, this.#release);
      this.#respond({ status, headers: flattened, body });
    } else this.#respond({ status, headers: flattened, body: whole, arrived: this.#arrived });
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

  /** The first error counts. */
  #fail(error: Error): void {
    this.#error ??= error;
    this.#refuse(this.#error);
    this.#wake?.();
  }

  readonly #arrived = (): Uint8Array | undefined => {
    if (!this.#ended || this.#error) return undefined;
    const chunks = this.#chunks.splice(0);
    this.#onReceived?.(this.#unread);
    return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
  };

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
      this.#release();
    }
  }

  /** Nobody reads the rest: frees the connection for another request. */
  readonly #release = (): void => {
    if (!this.#ended) this.#controller?.abort(new Error('cancelled'));
  };

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

function flat(headers: Headers): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    found[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : (value ?? '');
  }
  return found;
}
