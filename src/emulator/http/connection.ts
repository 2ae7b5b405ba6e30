import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** A connection with this many waiting requests is not read further until one is answered. */
const MAX_WAITING_REQUESTS = 100;

/** How long a connection is still read after a closing 4xx, so that the response arrives. */
const LINGER_MS = 1000;

/**
 * Passes a server's requests to a handler, those of one connection one after another: pipelined
 * requests are answered in order (RFC 9112, 9.3.2), and here they also take effect in order. Node
 * itself would start them all at once.
 */
export function handleInOrder(server: Server, handle: RequestHandler): void {
  const connections = new WeakMap<Duplex, Connection>();
  const connectionOf = (socket: Duplex): Connection => {
    const known = connections.get(socket);
    if (known !== undefined) return known;
    const connection = new Connection(socket, handle);
    connections.set(socket, connection);
    return connection;
  };
  server.on('request', (request, response) => connectionOf(request.socket).add(request, response));
  server.on('clientError', (error, socket) => connectionOf(socket).refuse(error));
}

interface PendingRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

class Connection {
  readonly #socket: Duplex;
  readonly #handle: RequestHandler;
  /** The request being answered; released early to save garbage collection. */
  #current: PendingRequest | undefined;
  readonly #waiting: PendingRequest[] = [];
  /** Closes the connection, after all earlier requests are answered. */
  #refusal: (() => void) | undefined;

  constructor(socket: Duplex, handle: RequestHandler) {
    this.#socket = socket;
    this.#handle = handle;
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    response.on('close', this.#next);
    if (this.#current === undefined) {
      this.#begin({ request, response });
      return;
    }
    this.#waiting.push({ request, response });
    this.#limitReading();
  }

  #begin(exchange: PendingRequest): void {
    this.#current = exchange;
    this.#handle(exchange.request, exchange.response);
  }

  readonly #next = (): void => {
    this.#current = undefined;
    // The effect of a request without a caller would remain unknown.
    if (this.#socket.destroyed) return;
    const next = this.#waiting.shift();
    if (next !== undefined) {
      this.#begin(next);
      this.#limitReading();
    } else this.#refusal?.();
  };

  #limitReading(): void {
    // After Node, which resumes the socket at the end of each request.
    queueMicrotask(() => {
      if (this.#waiting.length >= MAX_WAITING_REQUESTS) this.#socket.pause();
      else this.#socket.resume();
    });
  }

  /** Answers bytes that are not HTTP, after the requests that came before them. */
  refuse(error: Error): void {
    if (this.#refusal !== undefined) return;
    this.#refusal = () => this.#end(rawReply(error));
    // In the middle of a body they belong to that request, which stays incomplete.
    if (this.#waiting.at(-1)?.request.complete === false) this.#waiting.pop();
    const { request, response } = this.#current ?? {};
    if (request?.complete === false && response?.headersSent) this.#socket.destroy();
    else if (request === undefined || !request.complete) this.#refusal();
  }

  /** Closes the connection; further bytes are read and dropped for a moment. */
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

/** Status of each error of Node's parser and timers; 400 for others. */
const STATUSES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

function rawReply({ code = '' }: NodeJS.ErrnoException): string {
  return `HTTP/1.1 ${STATUSES[code] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`;
}
