import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../../../contract/index.ts';
import { HttpError } from '../../http/messages.ts';
import type { Token } from '../../state/records.ts';
import type { Tool } from '../../state/world.ts';
import { type EmulatorState, isWithBrowser, type Urls } from '../../state/state.ts';

const TIMEOUT_MS = 5000;

/**
 * Refuses a development server that the course page cannot frame: not on loopback, down, a redirect,
 * or with a header that forbids it. One GET is sent, without a credential, if it can be reached from here.
 */
export async function checkDevServer(address: string, urls: Urls): Promise<void> {
  const url = loopbackUrl(address);
  if (!isWithBrowser(urls)) return;
  const { status, headers } = await answerOf(url);
  if (status >= 300 && status < 400) {
    const to = headers.location ?? 'another address';
    throw refused(`${address} redirects (${status}) to ${to}: give the address that it leads to`);
  }
  if (status >= 400) throw refused(`${address} answered ${status}: give the address of its page`);
  const forbids = framingRefusal(headers, new URL(urls.api));
  if (forbids === undefined) return;
  throw refused(
    `${address} sends ${forbids}, so that the course page cannot frame it: leave it out in development`,
  );
}

/** The header that forbids a page to frame an answer. A browser ignores X-Frame-Options beside frame-ancestors. */
function framingRefusal(
  headers: IncomingMessage['headers'],
  { protocol, host, hostname }: URL,
): string | undefined {
  const policy = String(headers['content-security-policy'] ?? '');
  const lists = policy.match(/(?<=^|[;,]\s*)frame-ancestors[^;,]*/gi);
  const frame = String(headers['x-frame-options'] ?? '');
  if (lists === null) {
    return /deny|sameorigin/i.test(frame) ? `X-Frame-Options: ${frame}` : undefined;
  }
  const hosts = ['*:*', host, `${hostname}:*`];
  const allowing = ['*', protocol, ...hosts, ...hosts.map((each) => `${protocol}//${each}`)];
  const allows = (list: string): boolean =>
    list.split(/\s+/).some((source) => allowing.includes(source.toLowerCase()));
  return lists.find((list) => !allows(list));
}

function loopbackUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isPlain = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url !== undefined && isPlain && url.username === '' && isLoopback(url.origin)) return url;
  throw refused(
    'dev_url must be a URL on loopback, such as http://127.0.0.1:5173: the claims have a token',
  );
}

async function answerOf(
  url: URL,
): Promise<{ readonly status: number; readonly headers: IncomingMessage['headers'] }> {
  const { request } = await (url.protocol === 'https:'
    ? import('node:https')
    : import('node:http'));
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const headers = { accept: 'text/html' };
      // Node does not trust a certificate of a development server; nothing secret is sent.
      const options = { headers, signal, agent: false as const, rejectUnauthorized: false };
      request(url, options, resolve).on('error', reject).end();
    });
    response.destroy();
    return { status: response.statusCode ?? 0, headers: response.headers };
  } catch {
    throw refused(`nothing answers at ${url.origin}: start the development server`);
  }
}

export function requireHosted({ id, hosted }: Tool): void {
  if (!hosted) throw refused(`tool ${id} is external: dev_url is for a hosted one`);
}

/** Shows a development server in the frame of a launch, and lets its calls pass CORS. */
export function showDevServer({ hosted }: EmulatorState, token: Token, address: string): void {
  hosted.origins.devUrls.set(token.launch_id, new URL(address));
}

function refused(message: string): HttpError {
  return new HttpError(422, 'launch.dev_url', message);
}
