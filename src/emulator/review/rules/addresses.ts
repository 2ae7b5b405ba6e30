import { ELSEWHERE, type RuleInput, exchangesWhere, type Found, type Rule } from '../rule.ts';
import { isHandedOut } from '../address-book.ts';

/** "The management API": this path was removed. */
const REMOVED = /\/apps\/me(?:[/?]|$)/;

/** Paths that browsers and health checks request by themselves, and that are not the tool's API. */
const NOT_OF_A_TOOL =
  /^\/(?:$|\?|favicon\.ico$|apple-touch-icon[\w-]*\.png$|robots\.txt$|\.well-known\/)/;

const unknownAddresses = ({ exchanges }: RuleInput, condition: string) =>
  exchangesWhere(
    exchanges,
    ['number', 'method', 'path', 'credential', 'legacy'],
    `${ELSEWHERE} AND ${condition}`,
  );

type Called = ReturnType<typeof unknownAddresses> extends Iterable<infer Each> ? Each : never;

/** The management API, or the grade submission that was "keyed on a launch (with launch_id in the body)". */
const isRemoved = ({ path, legacy }: Called): boolean => legacy === 1 || REMOVED.test(path);

export const removedEndpoint: Rule = {
  code: 'request.removed_endpoint',
  *find(evidence) {
    for (const each of unknownAddresses(evidence, "place = 'unknown'")) {
      if (isRemoved(each)) yield pathFound(each);
    }
  },
};

/** URLs end up in logs and histories. No address of the service contains a token. */
export const tokenInUrl: Rule = {
  code: 'request.token_in_url',
  *find(evidence) {
    for (const each of unknownAddresses(evidence, 'leaks')) yield pathFound(each);
  },
};

/** URLs are opaque: one that does not look like a URL of the service was built by the caller. */
export const urlNotHandedOut: Rule = {
  code: 'request.url_not_handed_out',
  *find(evidence) {
    for (const each of unknownAddresses(evidence, "place = 'unknown' AND NOT leaks")) {
      const isOther = each.credential === null && NOT_OF_A_TOOL.test(each.path);
      if (!isOther && !isRemoved(each)) yield pathFound(each);
    }
  },
};

const PATH_CHARACTERS = 200;

/** A request by its path, without its query. */
function pathFound({ number, method, path: target }: Called): Found {
  const path = target.replace(/\?.*$/s, '?…').slice(0, PATH_CHARACTERS);
  return { subject: `${method} ${path}`, requests: [number], params: { method, path } };
}

const CALLED = 'address IS NOT NULL AND address NOT IN addresses';

/** A URL in the form of a launch's URL, but of no launch, had a segment changed. */
export const urlSegmentChanged: Rule = {
  code: 'request.url_segment_changed',
  *find({ exchanges }, state) {
    const names = ['number', 'about', 'segments', 'address'] as const;
    for (const { number, about, segments, address } of exchangesWhere(exchanges, names, CALLED)) {
      if (isHandedOut(state, address ?? '')) continue;
      const params = { what: segments ?? '', kind: about ?? '' };
      yield { subject: `${about} ${segments}`, requests: [number], params };
    }
  },
};
