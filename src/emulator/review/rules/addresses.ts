import { isHandedOut } from '../address-book.ts';
import { ELSEWHERE, type Found, type Rule, ruleOfEach } from '../rule.ts';
import type { StoredExchange } from '../stored-exchange.ts';

/** "The management API": this path was removed. */
const REMOVED = /\/apps\/me(?:[/?]|$)/;

/** Paths that browsers and health checks request by themselves. */
const NOT_OF_A_TOOL = /^\/(?:$|\?|favicon\.ico$|apple-touch-icon[\w-]*\.png$|robots\.txt$)/;
/** Public by convention, such as the keys of the service: a client may send its token there too. */
const WELL_KNOWN = /^\/\.well-known\//;

const CALL = ['number', 'method', 'path', 'credential', 'legacy'] as const;
type Called = Pick<StoredExchange, (typeof CALL)[number]>;

/** A rule about calls that are not of the service. */
function pathRule(code: Rule['code'], condition: string, isWrong: (each: Called) => boolean): Rule {
  const where = `${ELSEWHERE} AND ${condition}`;
  return ruleOfEach(code, CALL, where, (each) => (isWrong(each) ? pathFound(each) : undefined));
}

/** The management API, or the grade submission that was "keyed on a launch (with launch_id in the body)". */
const isRemoved = ({ path, legacy }: Called): boolean => legacy === 1 || REMOVED.test(path);

export const removedEndpoint = pathRule('request.removed_endpoint', "place = 'unknown'", isRemoved);

/** URLs end up in logs and histories. No address of the service contains a token. */
export const tokenInUrl = pathRule('request.token_in_url', 'leaks', () => true);

/** URLs are opaque: one that does not look like a URL of the service was built by the caller. */
export const urlNotHandedOut = pathRule(
  'request.url_not_handed_out',
  "place = 'unknown' AND NOT leaks",
  (each) =>
    !isRemoved(each) &&
    !WELL_KNOWN.test(each.path) &&
    !(each.credential === null && NOT_OF_A_TOOL.test(each.path)),
);

const PATH_CHARACTERS = 200;

/** A request by its path, without its query. */
function pathFound({ number, method, path: target }: Called): Found {
  const path = target.replace(/\?.*$/s, '?…').slice(0, PATH_CHARACTERS);
  return { subject: `${method} ${path}`, requests: [number], params: { method, path } };
}

/** A URL in the form of a launch's URL, but of no launch, had a segment changed. */
export const urlSegmentChanged = ruleOfEach(
  'request.url_segment_changed',
  ['number', 'about', 'segments', 'address'],
  'address IS NOT NULL AND address NOT IN addresses',
  ({ number, about, segments, address }, state) => {
    if (isHandedOut(state, address ?? '')) return undefined;
    const params = { what: segments ?? '', kind: about ?? '' };
    return { subject: `${about} ${segments}`, requests: [number], params };
  },
);
