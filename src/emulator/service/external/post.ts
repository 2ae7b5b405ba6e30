import type { IncomingMessage } from 'node:http';
import { truncate } from '../../../contract/index.ts';
import type { EmulatorState } from '../../state/state.ts';
import { isNetworkAddress, isToolAddress } from '../../state/world.ts';

/** The result of a request of the service to a tool's server. */
export interface ToolAnswer {
  /** null if there was no answer. */
  readonly status: number | null;
  readonly text: string;
  /** Why there is no usable answer; null if there is one. */
  readonly error: string | null;
}

const TIMEOUT_MS = 10_000;
const ANSWER_MAX_BYTES = 4 * 1024 * 1024;

/**
 * POSTs JSON to a tool's server, once, with the signed token as bearer token: on this machine or by
 * TLS, for at most 10 s, without following redirects.
 */
export async function postToTool(
  state: EmulatorState,
  address: string,
  { body, token }: { readonly body: object; readonly token: string },
): Promise<ToolAnswer> {
  const mayCall = state.urls.isOpen === true ? isNetworkAddress : isToolAddress;
  if (!mayCall(address)) {
    return failed(`${address} is neither on loopback nor https: start the emulator with --host`);
  }
  const cut = new AbortController();
  const answered = new AbortController();
  // Also ends when the emulator stops or is reset.
  let hasPassed = false;
  void state.delays.wait(TIMEOUT_MS, answered.signal).then((passed) => {
    hasPassed = passed;
    cut.abort();
  });
  try {
    return await post(address, JSON.stringify(body), token, cut.signal);
  } catch (error) {
    if (hasPassed) return failed(`no answer within ${TIMEOUT_MS / 1000} s`);
    if (cut.signal.aborted)
      return failed('the emulator was reset or stopped before the tool answered');
    return failed(connectionError(new URL(address), error as NodeJS.ErrnoException));
  } finally {
    answered.abort();
  }
}

const CONNECT_MS = 2000;

/**
 * Why a browser cannot open an address of a tool, found by connecting without sending anything;
 * undefined if the connection succeeds, or takes too long for a conclusion.
 */
export async function whyUnreachable(address: string): Promise<string | undefined> {
  const url = new URL(address);
  const { connect } = await import('node:net');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  return new Promise((resolve) => {
    const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port });
    const end = (why?: string): void => {
      socket.destroy();
      resolve(why);
    };
    socket.setTimeout(CONNECT_MS, () => end());
    socket.once('connect', () => end());
    socket.once('error', (error) => end(connectionError(url, error)));
  });
}

/** The reason why a connection failed. */
function connectionError(
  { origin, hostname }: URL,
  { code, message }: NodeJS.ErrnoException,
): string {
  switch (code) {
    case 'ECONNREFUSED':
      return `nothing listens at ${origin}: start the server of the tool (${code})`;
    case 'ECONNRESET':
      return `${origin} closed the connection before its answer was whole (${code})`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the name ${hostname} cannot be resolved (${code})`;
    default:
      return `${origin} cannot be called: ${message}`;
  }
}

function failed(error: string): ToolAnswer {
  return { status: null, text: '', error };
}

async function post(
  address: string,
  body: string,
  token: string,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const { request } = address.startsWith('https:')
    ? await import('node:https')
    : await import('node:http');
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    authorization: `Bearer ${token}`,
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { method: 'POST', headers, signal, agent: false as const };
    request(address, options, resolve).on('error', reject).end(body);
  });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > ANSWER_MAX_BYTES)
      return failed(`the answer has more than ${ANSWER_MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  const { statusCode: status = 0 } = response;
  const text = Buffer.concat(chunks).toString();
  const words = text.replaceAll(/\s+/g, ' ').trim();
  const why = words === '' ? '' : `: ${truncate(words)}`;
  const error = status >= 200 && status < 300 ? null : `the tool answered ${status}${why}`;
  return { status, text, error };
}
