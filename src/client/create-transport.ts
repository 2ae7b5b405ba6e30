import {
  type OwnedTransport,
  TransportError,
  type TransportOptions,
  type WireExchange,
  type WireRequest,
} from './transport.ts';

/**
 * The transport that a client uses unless it is given one: HTTP by undici, which is loaded at the
 * first call. `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` hold; what comes from this machine itself
 * never takes a proxy.
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
    if (isCancelled) throw new TransportError('there was no connection yet', false);
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
