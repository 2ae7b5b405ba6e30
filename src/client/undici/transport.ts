import v8 from 'node:v8';
import type { Dispatcher, EnvHttpProxyAgent as EnvironmentAgent } from 'undici';
import connect from 'undici/lib/api/api-connect.js';
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
import { patchParsers } from './answer-parser.ts';
import { DispatchedExchange } from './exchange.ts';
import { countReceived } from './received-memory.ts';

const UNTRUSTED_CODES = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);

/** undici's message if a proxy opens no tunnel. Its code is also used for other errors. */
const PROXY_RESPONSE = /^Proxy response \((\d+)\)/;

/** Codes of a connection that was closed. */
const CLOSED_CODES = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** undici's message for a response that is not HTTP, with the parser's reason. */
const NOT_HTTP = /^Response does not match the HTTP\/1\.1 protocol \((.*)\)$/s;

/** Codes of TLS errors. */
const TLS_CODES = /^(ERR_SSL_|EPROTO$)/;

/**
 * HTTP by undici. Method, path and query are sent unchanged, redirects are not followed, and
 * `HTTPS_PROXY` and `NO_PROXY` are respected.
 */
export function createUndiciTransport(options: TransportOptions = {}): OwnedTransport {
  const { connections, ownsProcess = false } = options;
  if (ownsProcess) OWN_FLAGS.set.forEach(setFlag);
  patchParsers();
  const onReceived = ownsProcess ? countReceived : undefined;
  const agents = createAgents(connections ?? null);
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
    const toError = (error: unknown, started: boolean): TransportError =>
      transportError(error, started, origin.startsWith('https:'));
    const exchange = new DispatchedExchange(toError, onReceived);
    agents.for(origin).dispatch(request, exchange);
    return exchange;
  };
  const close = async (): Promise<void> => {
    await agents.close();
    // V8 could not read what it compiled under other flags than those of the next process.
    if (ownsProcess) OWN_FLAGS.reset.forEach(setFlag);
  };
  return { transport, close };
}

/**
 * How V8 is set up where the process is the client's own, and how it was before.
 *
 * undici parses with WebAssembly. Its optimising compilation keeps a process with a single call alive
 * longer than the call takes, needs 35 MB for a moment, and saves less over 60,000 calls than it took.
 * What survives a minor collection is little: to wake threads for it takes longer than to copy it.
 */
const OWN_FLAGS = {
  set: ['--liftoff-only', '--no-parallel-scavenge'],
  // `--liftoff-only` sets two others as well.
  reset: ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering', '--parallel-scavenge'],
};

function setFlag(flag: string): void {
  v8.setFlagsFromString(flag);
}

/** Loopback never uses a proxy, as in Go's tools; other origins may. */
function createAgents(connections: number | null): {
  for: (origin: string) => Dispatcher;
  close: () => Promise<void>;
} {
  const made: Dispatcher[] = [];
  const lazily = (make: () => Dispatcher): (() => Dispatcher) => {
    let agent: Dispatcher | undefined;
    return () => {
      if (agent === undefined) made.push((agent = make()));
      return agent;
    };
  };
  const direct = lazily(() => new Agent({ connections, ...TIMEOUTS }));
  const environment = lazily(() => createEnvironmentAgent(connections));
  let last: { readonly origin: string; readonly agent: Dispatcher } | undefined;
  return {
    for: (origin) => {
      if (last?.origin !== origin) {
        last = { origin, agent: isLoopback(origin) ? direct() : environment() };
      }
      return last.agent;
    },
    close: async () => {
      await Promise.all(made.map((agent) => agent.destroy()));
    },
  };
}

/** The client's own deadline covers the whole call. */
const TIMEOUTS = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 4_000 };

function createEnvironmentAgent(connections: number | null): EnvironmentAgent {
  try {
    return new EnvHttpProxyAgent({
      connections,
      ...TIMEOUTS,
      // undici requests a tunnel with a method that its index adds, which is not loaded here.
      clientFactory: (proxy, settings) =>
        Object.assign(new Pool(proxy, settings), { connect: openTunnel }),
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
async function openTunnel(
  this: Dispatcher,
  options: Dispatcher.ConnectOptions,
): Promise<Dispatcher.ConnectData> {
  try {
    const tunnel = await (connect.call(this, options) as Promise<Dispatcher.ConnectData>);
    // The server does not send first: this is a page of the proxy.
    if (tunnel.socket.readableLength === 0 || tunnel.statusCode !== 200) return tunnel;
    tunnel.socket.destroy();
    throw new TransportError('it sent unexpected data after its response', false);
  } catch (error) {
    const { message } = transportError(error, true, false);
    throw new TransportError(`the proxy did not open a tunnel: ${message}`, false, {
      cause: error,
    });
  }
}

/**
 * Nothing was sent if the request had not `started`: there was no connection, or no TLS on it. Only for
 * a plain connection that was closed this is not certain.
 */
function transportError(error: unknown, started: boolean, isTls: boolean): TransportError {
  if (error instanceof TransportError) return error;
  const { code, message } = causeOf(error);
  const fault = code === 'UND_ERR_HEADERS_OVERFLOW' ? 'its headers are too long' : notHttp(message);
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

function notHttp(message: string): string | undefined {
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
