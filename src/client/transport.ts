/**
 * Sends a request. Not `fetch`, which rewrites URLs and follows redirects, while the service's URLs are
 * opaque: method, URL and headers are sent byte for byte.
 */
export type Transport = (request: WireRequest) => WireExchange;

export interface WireRequest {
  readonly method: string;
  /** Absolute, and sent unchanged. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | StreamedBody;
}

/** A request in progress. */
export interface WireExchange {
  readonly response: Promise<WireResponse>;
  /** Cancels the request and the reading of its response: the pending promise rejects. */
  readonly cancel: () => void;
}

/** A body that is streamed; its length in bytes is known and sent ahead. */
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

/** Options of a transport; all have defaults. */
export interface TransportOptions {
  /** Maximum connections per origin; by default as many as there are calls in progress. */
  readonly connections?: number | undefined;
}

/** A transport and its `close`. */
export interface OwnedTransport {
  readonly transport: Transport;
  /** Closes every connection. An idle connection does not keep the process alive. */
  readonly close: () => Promise<void>;
}

/** The error of a transport: no response, or one that is not HTTP. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  /** False only if the request certainly never reached the server: refused, no such host, no TLS. */
  readonly sent: boolean;
  /** Something was received that is not HTTP. */
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
