/**
 * The one thing the client needs from the outside: a way to put a request on the wire. It is no
 * `fetch`, since `fetch` rewrites the URLs it is given and follows redirects, and the platform's
 * URLs are opaque: method, URL and headers here go out byte for byte.
 */
export type Transport = (request: WireRequest) => WireExchange;

export interface WireRequest {
  readonly method: string;
  /** Absolute, called exactly as it is. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | StreamedBody;
}

/** A request that is under way. */
export interface WireExchange {
  readonly response: Promise<WireResponse>;
  /** Ends the request, and the reading of its answer: whichever is waited for rejects. */
  readonly cancel: () => void;
}

/** A body that is never whole in memory; its length in bytes is known and sent ahead. */
export interface StreamedBody {
  readonly length: number;
  readonly chunks: () => AsyncIterable<Uint8Array>;
}

export interface WireResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** How a transport is set up. */
export interface TransportOptions {
  /** Connections to one origin at most; without it, as many as there are calls under way. */
  readonly connections?: number | undefined;
  /**
   * Whether the process is there for these calls alone, as that of the command line is: V8 is then
   * set up for the shortest run and the least memory, for all of the process. Left out, nothing of
   * the process is touched.
   */
  readonly ownsProcess?: boolean;
}

/** A transport, and what ends its connections. */
export interface OwnedTransport {
  readonly transport: Transport;
  /** Drops every connection. A connection without a call keeps no process alive. */
  readonly close: () => Promise<void>;
}

/** A transport rejects with this when there is no answer, or none that is HTTP. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  /** False only when the request surely never reached the other side: refused, no such host, no TLS. */
  readonly sent: boolean;
  /** Something came, and it is not HTTP. */
  readonly isUnusable: boolean;

  constructor(
    message: string,
    sent: boolean,
    options: ErrorOptions & { readonly isUnusable?: boolean } = {},
  ) {
    super(message, options);
    this.sent = sent;
    this.isUnusable = options.isUnusable === true;
  }
}
