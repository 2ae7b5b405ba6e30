import {
  type OwnedTransport,
  TransportError,
  type TransportOptions,
  type WireExchange,
  type WireRequest,
} from './transport.ts';

/**
 * The default transport of a client: HTTP by undici, which is loaded at the first call. It respects
 * `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`; loopback never uses a proxy.
 *
 * @example
 * const { transport, close } = createTransport({ connections: 8 });
 * const client = createClient(credential, { transport });
 */
export function createTransport(options: TransportOptions = {}): OwnedTransport {
  let made: Promise<OwnedTransport> | undefined;
  const load = (): Promise<OwnedTransport> =>
    (made ??= import('./undici/transport.ts').then((undici) =>
      undici.createUndiciTransport(options),
    ));
  return {
    transport: (request) => exchangeOnceLoaded(load(), request),
    close: async () => (await made)?.close(),
  };
}

function exchangeOnceLoaded(loading: Promise<OwnedTransport>, request: WireRequest): WireExchange {
  let exchange: WireExchange | undefined;
  let isCancelled = false;
  const response = loading.then(({ transport }) => {
    if (isCancelled) throw new TransportError('cancelled before connecting', false);
    exchange = transport(request);
    return exchange.response;
  });
  return {
    response,
    cancel: () => {
      isCancelled = true;
      exchange?.cancel();
    },
  };
}
