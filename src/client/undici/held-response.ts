import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import symbols from 'undici/lib/core/symbols.js';

/** undici publishes each connection before it reads from it. So does the copy in Node. */
const CONNECTED = 'undici:client:connected';

/** The part of undici's HTTP/1 parser that is patched. */
interface Parser {
  /** The response is held back, since its reader is behind. */
  readonly paused: boolean;
  /** Reads on, if the socket is not destroyed. */
  resume: () => void;
  /** Called when the connection has ended: an error, unless that ends the response. */
  finish: () => Error | null;
}

/**
 * Prevents a crash: when a connection ends while its response is held back, undici 7 fails an assertion
 * in an event of the socket, which ends the process. undici 8 reads the rest first, as is done here.
 * See docs/decisions/0003-undici-parser.md.
 */
export function readHeldResponses(): void {
  unsubscribe(CONNECTED, onConnected);
  subscribe(CONNECTED, onConnected);
}

function onConnected(message: unknown): void {
  const { socket } = message as { socket: { [symbols.kParser]?: Parser } };
  const parser = socket[symbols.kParser];
  if (parser === undefined) return;
  const { finish } = parser;
  parser.finish = () => {
    parser.resume();
    return parser.paused ? new Error('the response was cut off') : finish.call(parser);
  };
}
