import type { Dispatcher } from 'undici';
import Agent from 'undici/lib/dispatcher/agent.js';
import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { isLoopback, splitUrl } from '../../contract/url.ts';
import {
  type OwnedTransport,
  type Transport,
  TransportError,
  type TransportOptions,
} from '../transport.ts';
import { HttpExchange } from './exchange.ts';
import { readHeldResponses } from './held-response.ts';

const UNTRUSTED_CODES = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);

/** undici's message if a proxy opens no tunnel. Its code is also used for other errors. */
const PROXY_RESPONSE = /^Proxy response \((\d+)\)/;

const CLOSED_CODES = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** undici's message for a response that is not HTTP, with the parser's reason. */
const NOT_HTTP = /^Response does not match the HTTP\/1\.1 protocol \((.*)\)$/s;

const TLS_CODES = /^(ERR_SSL_|EPROTO$)/;

/**
 * HTTP by undici. Method, path and query are sent unchanged, redirects are not followed, and
 * `HTTPS_PROXY` and `NO_PROXY` are respected.
 */
export function createUndiciTransport(options: TransportOptions = {}): OwnedTransport {
  readHeldResponses();
  const settings = { connections: options.connections ?? null, ...TIMEOUTS };
  const direct = new Agent(settings);
  let environment: Dispatcher | undefined;
  // Loopback never uses a proxy, as in Go's tools.
  const agentFor = (origin: string): Dispatcher =>
    isLoopback(origin) ? direct : (environment ??= createEnvironmentAgent(settings));
  const transport: Transport = ({ method, url, headers, body }) => {
    const split = splitUrl(url);
    if ('fault' in split) throw new TransportError(split.fault, false);
    const { origin, path, query } = split;
    const streamed = body !== undefined && !(body instanceof Uint8Array);
    const request: Dispatcher.DispatchOptions = {
      origin,
      path: `${path === '' ? '/' : path}${query}`,
      method: method as 'GET',
      headers: streamed ? { ...headers, 'content-length': String(body.length) } : headers,
      // undici accepts iterables, though its types do not say so.
      body: (streamed ? body.chunks() : (body ?? null)) as Buffer | null,
    };
    const exchange = new HttpExchange((error, started) =>
      transportError(error, started, origin.startsWith('https:')),
    );
    agentFor(origin).dispatch(request, exchange);
    return exchange;
  };
  const close = async (): Promise<void> => {
    await Promise.all([direct.destroy(), environment?.destroy()]);
  };
  return { transport, close };
}

/** The client's own deadline covers the whole call. */
const TIMEOUTS = { headersTimeout: 0, bodyTimeout: 0 };

function createEnvironmentAgent(settings: Agent.Options): Dispatcher {
  try {
    return new EnvHttpProxyAgent({
      ...settings,
      // `Dispatcher.connect` is defined by undici's entry.
      clientFactory: (proxy, options) =>
        Object.assign(new Pool(proxy, options), { connect: openTunnel }),
    });
  } catch (error) {
    const why = (error as Error).message;
    const way = 'set HTTPS_PROXY or HTTP_PROXY to a URL such as http://proxy.example:3128';
    throw new TransportError(`invalid proxy in the environment: ${why}; ${way}`, false);
  }
}

/**
 * Requests a tunnel from a proxy. Nothing is sent before there is one. undici itself would retry a proxy
 * that closes the connection a thousand times a second.
 */
function openTunnel(
  this: Dispatcher,
  options: Dispatcher.ConnectOptions,
): Promise<Dispatcher.ConnectData> {
  return new Promise((resolve, reject) => {
    const fail = (why: string, cause?: unknown): void =>
      reject(new TransportError(`the proxy did not open a tunnel: ${why}`, false, { cause }));
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => {},
      onRequestUpgrade: (_, statusCode, headers, socket) => {
        // The server does not send first: this is a page of the proxy.
        const isPage = statusCode === 200 && socket.readableLength > 0;
        if (!isPage) return resolve({ statusCode, headers, socket, opaque: null });
        socket.destroy();
        fail('it sent unexpected data after its response');
      },
      onResponseError: (_, error) => fail(transportError(error, true, false).message, error),
    };
    this.dispatch({ ...options, method: 'CONNECT' }, handler);
  });
}

/**
 * Nothing was sent if the request had not `started`: there was no connection, or no TLS on it. Only for
 * a plain connection that was closed this is not certain.
 */
function transportError(error: unknown, started: boolean, isTls: boolean): TransportError {
  if (error instanceof TransportError) return error;
  const { code, message } = causeOf(error);
  const fault = httpFault(code, message);
  if (fault !== undefined) {
    const why = `the response is not valid HTTP: ${fault}`;
    return new TransportError(why, true, { cause: error, isUnusable: true });
  }
  const refusal = PROXY_RESPONSE.exec(message)?.[1];
  if (refusal !== undefined) {
    return new TransportError(`the proxy responded with ${refusal}`, false, { cause: error });
  }
  const sent = started || (!isTls && code !== undefined && CLOSED_CODES.has(code));
  return new TransportError(describeError(code, sent) ?? message, sent, { cause: error });
}

/** What is wrong with a response that undici cannot read. */
function httpFault(code: string | undefined, message: string): string | undefined {
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'its headers are too long';
  // undici asserts that a status is 100 or more.
  if (code === 'ERR_ASSERTION') return 'its status is not valid';
  return NOT_HTTP.exec(message)?.[1];
}

/** The system's error; of several addresses that were tried, that of the first one. */
function causeOf(error: unknown): { code: string | undefined; message: string } {
  const inner = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  if (!(inner instanceof Error)) return { code: undefined, message: String(inner) };
  return { code: (inner as NodeJS.ErrnoException).code, message: inner.message };
}

function describeError(code: string | undefined, sent: boolean): string | undefined {
  if (code === undefined) return undefined;
  if (code === 'ECONNREFUSED') return 'connection refused';
  if (code === 'EMFILE' || code === 'ENFILE') return 'too many open files';
  if (code === 'ENOTFOUND') return 'host not found';
  if (code === 'EAI_AGAIN') return 'DNS lookup failed';
  if (CLOSED_CODES.has(code))
    return `the connection was closed${sent ? '' : ' during the TLS handshake'}`;
  if (TLS_CODES.test(code) && !sent) {
    return `TLS handshake failed (${code}); the server may only support plain HTTP`;
  }
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return 'the response was cut off';
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'connection timed out';
  if (UNTRUSTED_CODES.has(code)) {
    return `untrusted certificate (${code}); add its authority with NODE_EXTRA_CA_CERTS`;
  }
  return undefined;
}
