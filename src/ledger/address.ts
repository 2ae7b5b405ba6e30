import { createHash } from 'node:crypto';
import { withoutQuery } from '../contract/url.ts';
import type { GradeAddress } from './ledger.ts';

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

/** Stands for the member in a stored URL. A URL that can be called is ASCII, so none holds it. */
const MEMBER_PLACEHOLDER = '‹member›';

/**
 * The address of a URL, with a placeholder for the member's segment: the last one that is equal to the
 * member. An address without one is returned unchanged.
 */
export function toTemplate({ url, member }: GradeAddress): string {
  const bare = withoutQuery(url);
  if (bare !== url) return toTemplate({ url: bare, member }) + addressOf(url).slice(bare.length);
  const segment = `/${encodeURIComponent(member)}`;
  for (let at = bare.lastIndexOf(segment); at > 0; at = bare.lastIndexOf(segment, at - 1)) {
    const end = at + segment.length;
    if (end === bare.length || bare[end] === '/') {
      return `${bare.slice(0, at)}/${MEMBER_PLACEHOLDER}${bare.slice(end)}`;
    }
  }
  return bare;
}

/** The inverse of `toTemplate`. */
export function fillTemplate(template: string, member: string): string {
  return template.replace(MEMBER_PLACEHOLDER, () => encodeURIComponent(member));
}
