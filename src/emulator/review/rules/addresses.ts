import { ELSEWHERE, type RuleInput, exchangesWhere, type Found, type Rule } from '../rule.ts';
import { notHandedOut } from '../address-book.ts';

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
  needs: 'exchanges',
  *find(evidence) {
    for (const each of unknownAddresses(evidence, "place = 'unknown'")) {
      if (isRemoved(each)) yield pathFound(each);
    }
  },
};

/** URLs end up in logs and histories. No address of the service contains a token. */
export const tokenInUrl: Rule = {
  code: 'request.token_in_url',
  needs: 'exchanges',
  *find(evidence) {
    for (const each of unknownAddresses(evidence, 'leaks')) yield pathFound(each);
  },
};

/** URLs are opaque: one that does not look like a URL of the service was built by the caller. */
export const urlNotHandedOut: Rule = {
  code: 'request.url_not_handed_out',
  needs: 'exchanges',
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

const CALLED =
  'SELECT DISTINCT address FROM exchanges WHERE address IS NOT NULL AND address NOT IN addresses';

/** A URL in the form of a launch's URL, but of no launch, had a segment changed. */
export const urlSegmentChanged: Rule = {
  code: 'request.url_segment_changed',
  needs: 'state',
  *find({ exchanges }, state) {
    const called = Array.from(
      exchanges.rows<{ address: string }>(CALLED),
      ({ address }) => address,
    );
    if (called.length === 0) return;
    const changed = notHandedOut(state, called);
    const condition = 'address IN (SELECT value FROM json_each(?))';
    const names = ['number', 'about', 'segments'] as const;
    for (const each of exchangesWhere(exchanges, names, condition, [
      JSON.stringify([...changed]),
    ])) {
      const params = { what: each.segments ?? '', kind: each.about ?? '' };
      yield { subject: `${each.about} ${each.segments}`, requests: [each.number], params };
    }
  },
};
