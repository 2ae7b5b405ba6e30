import { createHash } from 'node:crypto';
import { withoutQuery } from '../contract/url.ts';

const DIGEST_DIGITS = 12;

/**
 * Identifies a URL: the URL with a digest in place of its query. A query may contain a signature, which
 * must not be stored, but it may also be the only difference between two URLs.
 */
export function addressOf(url: string): string {
  const bare = withoutQuery(url);
  if (bare === url) return bare;
  const digest = createHash('sha256').update(url.slice(bare.length)).digest('hex');
  return `${bare}~${digest.slice(0, DIGEST_DIGITS)}`;
}
