import { withoutQuery } from '../contract/url.ts';
import { addressOf } from './address.ts';
import type { GradeAddress } from './ledger.ts';

/** Stands for the member in a stored URL. A URL that can be called is ASCII, so none holds it. */
const MARK = '‹member›';

/**
 * The address of a URL, the member's segment marked: the last that reads like the member. One that has
 * none stays as it is.
 */
export function withMark({ url, member }: GradeAddress): string {
  const bare = withoutQuery(url);
  if (bare !== url) return withMark({ url: bare, member }) + addressOf(url).slice(bare.length);
  const segment = `/${encodeURIComponent(member)}`;
  for (let at = bare.lastIndexOf(segment); at > 0; at = bare.lastIndexOf(segment, at - 1)) {
    const end = at + segment.length;
    if (end === bare.length || bare[end] === '/') {
      return `${bare.slice(0, at)}/${MARK}${bare.slice(end)}`;
    }
  }
  return bare;
}

/** The opposite of `withMark`. */
export function withMember(markedUrl: string, member: string): string {
  return markedUrl.replace(MARK, () => encodeURIComponent(member));
}
