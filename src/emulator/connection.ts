import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A connection that has this many requests waiting is read no further until one was answered. */
const MAX_WAITING_REQUESTS = 100;

/** How long a connection is still read after a 4xx that closes it, so that the answer arrives. */
const LINGER_MS = 1000;

/**
 * Hands a server's requests to a handler. Those of one connection are handled one after another,
 * each once the one before has been answered: pipelined requests are answered in order (RFC 9112,
 * 9.3.2), and here they take effect in order too. Node itself would start them all at once.
 */
export function handleInOrder(server: Server, handle: Handler): void {
  const connections = new WeakMap<Duplex, Connection>();
  const connectionOf = (socket: Duplex): Connection => {
    const known = connections.get(socket) ?? new Connection(socket, handle);
    connections.set(socket, known);
    return known;
  };
  server.on('request', (request, response) => connectionOf(request.socket).add(request, response));
  server.on('clientError', (error, socket) => connectionOf(socket).refuse(error));
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly previous: ServerResponse | undefined;
}

class Connection {
  readonly #socket: Duplex;
  readonly #handle: Handler;
  #last: Exchange | undefined;
  #waiting = 0;
  #isRefused = false;

  constructor(socket: Duplex, handle: Handler) {
    this.#socket = socket;
    this.#handle = handle;
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    const previous = this.#last?.response;
    this.#last = { request, response, previous };
    if (previous === undefined || previous.closed) {
      this.#handle(request, response);
      return;
    }
    this.#waiting++;
    this.#limitReading();
    previous.once('close', () => {
      this.#waiting--;
      // Without a caller nobody would learn of the effect; the ones after it never start either.
      if (this.#socket.destroyed) return;
      this.#handle(request, response);
      this.#limitReading();
    });
  }

  #limitReading(): void {
    // Later than Node, which resumes the socket at the end of each request that it has read.
    queueMicrotask(() => {
      if (this.#waiting >= MAX_WAITING_REQUESTS) this.#socket.pause();
      else this.#socket.resume();
    });
  }

  /** Answers bytes that are not HTTP, after the requests that came before them. */
  refuse(error: Error): void {
    if (this.#isRefused) return;
    this.#isRefused = true;
    const last = this.#last;
    // In the middle of a body they belong to that request, which will never be whole.
    const broken = last?.request.complete === false ? last : undefined;
    const previous = broken === undefined ? last?.response : broken.previous;
    const answer = (): void => {
      if (broken?.response.headersSent) this.#socket.destroy();
      else this.#end(rawReply(error));
    };
    if (previous === undefined || previous.closed) answer();
    else previous.once('close', answer);
  }

  /** Closes the connection; what still comes is read and dropped for a moment. */
  #end(reply: string): void {
    if (!this.#socket.writable) {
      this.#socket.destroy();
      return;
    }
    this.#socket.end(reply);
    this.#socket.resume();
    setTimeout(() => this.#socket.destroy(), LINGER_MS).unref();
  }
}

/** What Node's parser and timers find, and the status of each; anything else is 400. */
const STATUSES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

function rawReply({ code = '' }: NodeJS.ErrnoException): string {
  return `HTTP/1.1 ${STATUSES[code] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`;
}
