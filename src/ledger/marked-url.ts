import { withoutQuery } from '../contract/url.ts';
import { addressOf } from './address.ts';
import type { GradeAddress } from './ledger.ts';

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
