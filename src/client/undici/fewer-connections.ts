import { isOutOfDescriptors } from '../errors.ts';
import { type Transport, TransportError, type WireExchange } from '../transport.ts';

/**
 * Sends requests over fewer connections if no more can be opened because too many files are open. Such
 * a request waits until another one has its response, and is sent again.
 */
export function overFewerConnections(
  send: Transport,
  events: {
    /** A connection could not be opened. */
    readonly onOutOfDescriptors: () => void;
    /** There is no other request to wait for: frees the connections that are idle. */
    readonly closeIdle: () => void;
  },
): Transport {
  let pending = 0;
  const waiting = new Set<() => void>();
  const wakeOne = (): void => {
    for (const wake of waiting) {
      waiting.delete(wake);
      // The connection is free in the next turn of the event loop.
      setImmediate(wake);
      return;
    }
  };
  return (request) => {
    let exchange: WireExchange | undefined;
    let isCancelled = false;
    let wake = (): void => {};
    const respond = async () => {
      for (;;) {
        if (isCancelled) throw new TransportError('not connected yet', false);
        exchange = send(request);
        pending += 1;
        try {
          return await exchange.response.finally(() => (pending -= 1));
        } catch (error) {
          if (!isOutOfDescriptors(error)) throw error;
          events.onOutOfDescriptors();
          if (pending === 0) {
            events.closeIdle();
            throw error;
          }
          await new Promise<void>((resolve) => {
            wake = resolve;
            waiting.add(wake);
          });
        }
      }
    };
    return {
      response: respond().finally(wakeOne),
      cancel: () => {
        isCancelled = true;
        exchange?.cancel();
        waiting.delete(wake);
        wake();
      },
    };
  };
}
