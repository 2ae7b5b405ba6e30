import {
  type StreamedBody,
  TransportError,
  type WireExchange,
  type WireResponse,
} from '../../client/index.ts';
import type { Runtime } from '../runtime.ts';

/** Ends a call when the user interrupts, or when no data moves for some seconds. */
export class IdleTimeout {
  readonly #runtime: Runtime;
  readonly #seconds: number;
  #cancel = (): void => {};
  #stop = (): void => {};
  #hasPassed = false;

  constructor(runtime: Runtime, seconds: number) {
    this.#runtime = runtime;
    this.#seconds = seconds;
  }

  #start(): void {
    this.#stop();
    this.#stop = this.#runtime.setTimer(this.#seconds * 1000, () => {
      this.#hasPassed = true;
      this.#cancel();
    });
  }

  /** A body to send: each chunk must be taken in time. */
  sending({ length, chunks }: StreamedBody): StreamedBody {
    const restart = (): void => this.#start();
    return {
      length,
      async *chunks() {
        for await (const chunk of chunks()) {
          restart();
          yield chunk;
        }
        restart();
      },
    };
  }

  /** The head of an answer; rejects with `TransportError`. */
  async head({ response, cancel }: WireExchange): Promise<WireResponse> {
    const { interrupt } = this.#runtime;
    this.#cancel = cancel;
    interrupt.addEventListener('abort', cancel);
    if (interrupt.aborted) cancel();
    this.#start();
    try {
      return await response;
    } catch (error) {
      throw this.#explained(error);
    } finally {
      this.#stop();
    }
  }

  /** A received body: each chunk must arrive in time; reading it may take longer. */
  async *receiving(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    this.#start();
    try {
      for await (const chunk of chunks) {
        this.#stop();
        yield chunk;
        this.#start();
      }
    } catch (error) {
      throw this.#explained(error);
    } finally {
      this.#stop();
    }
  }

  #explained(error: unknown): unknown {
    if (!this.#hasPassed) return error;
    return new TransportError(`no data received for ${this.#seconds} s`, true, { cause: error });
  }
}
