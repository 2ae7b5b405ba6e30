import { Readable } from 'node:stream';
import { type Transport, TransportError } from '../../src/client/index.ts';

/** A network that is a function, such as an emulator's `fetch`: `transport` of a run needs no port then. */
export function fetchTransport(fetch: (request: Request) => Promise<Response>): Transport {
  return ({ method, url, headers, body }) => {
    const cancelled = new AbortController();
    const init = {
      method,
      headers,
      body:
        body === undefined || body instanceof Uint8Array
          ? (body ?? null)
          : Readable.toWeb(Readable.from(body.chunks())),
      duplex: 'half',
      signal: cancelled.signal,
    };
    const response = fetch(new Request(url, init as RequestInit)).then(
      ({ status, headers: pairs, body: answer }) => ({
        status,
        headers: Object.fromEntries(pairs),
        body: (answer ?? Readable.from([])) as AsyncIterable<Uint8Array>,
      }),
      (error: Error) => {
        throw new TransportError(error.message, true, { cause: error });
      },
    );
    return { response, cancel: () => cancelled.abort() };
  };
}
