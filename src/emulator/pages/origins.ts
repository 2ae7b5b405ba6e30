import { isLoopback } from '../../contract/index.ts';
import type { Urls } from '../state/state.ts';

/**
 * Whether a page was opened at another name of loopback than the emulator's URLs have: it is sent to
 * theirs, whose origin has its stored data and is on the site of its frames. A reverse proxy may
 * send any `Host`.
 */
export function isOtherName({ api }: Urls, host: unknown): boolean {
  if (host === new URL(api).host) return false;
  return isLoopback(api) && isLoopback(`http://${String(host)}`);
}

/** An origin in a Content-Security-Policy, which cannot name an IPv6 address: any of its scheme. */
export function sourceOf(origin: string): string {
  const { protocol, hostname } = new URL(origin);
  return hostname.startsWith('[') ? protocol : origin;
}
