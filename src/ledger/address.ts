import { createHash } from 'node:crypto';
import { withoutQuery } from '../contract/url.ts';

const DIGEST_DIGITS = 12;

/**
 * What tells an address from others: the URL, with a digest where its query was. A query may hold a
 * signature, which is not kept, and it may be all that tells two addresses apart.
 */
export function addressOf(url: string): string {
  const bare = withoutQuery(url);
  if (bare === url) return bare;
  const digest = createHash('sha256').update(url.slice(bare.length)).digest('hex');
  return `${bare}~${digest.slice(0, DIGEST_DIGITS)}`;
}
