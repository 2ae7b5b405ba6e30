import { isObject } from '../../../contract/index.ts';
import { MIN_SECRET_CHARACTERS, redactor } from '../../../redaction.ts';
import { bearerOf, type PlainRequest } from '../../http/messages.ts';
import type { Target } from '../../service/addresses.ts';
import type { Token } from '../../state/records.ts';
import type { Rule, RuleContext } from '../rule.ts';
import { asBuffer, isStranger, parsed, type SeenRequest } from '../seen-request.ts';

/** "The management API": this path was removed. */
const REMOVED = /\/apps\/me(?:[/?]|$)/;

/** Paths that browsers and health checks request by themselves, and that are not the tool's API. */
const NOT_OF_A_TOOL =
  /^\/(?:$|\?|favicon\.ico$|apple-touch-icon[\w-]*\.png$|robots\.txt$|\.well-known\/)/;

/** The management API, or the grade submission that was "keyed on a launch (with launch_id in the body)". */
function isRemoved({ request }: SeenRequest): boolean {
  return REMOVED.test(request.target) || postsAll(request, 'launch_id', 'score');
}

/** Whether the body of a POST has these names. */
function postsAll({ method, body }: PlainRequest, ...names: [string, ...string[]]): boolean {
  if (method !== 'POST' || !(body instanceof Uint8Array)) return false;
  // Most bodies are not parsed.
  if (!asBuffer(body).includes(`"${names[0]}"`)) return false;
  const object = parsed(body);
  return isObject(object) && names.every((name) => Object.hasOwn(object, name));
}

export const removedEndpoint: Rule = {
  code: 'request.removed_endpoint',
  at: ['unknown'],
  see: (seen, context) => {
    if (isRemoved(seen)) reportPath(seen, context);
  },
};

/** URLs end up in logs and histories. No address of the service contains a token. */
export const tokenInUrl: Rule = {
  code: 'request.token_in_url',
  at: ['unknown', 'signed'],
  see: (seen, context) => {
    if (context.state.hasToken(seen.request.target)) reportPath(seen, context);
  },
};

/** URLs are opaque: one that does not look like a URL of the service was built by the caller. */
export const urlNotHandedOut: Rule = {
  code: 'request.url_not_handed_out',
  at: ['unknown'],
  see: (seen, context) => {
    const { target } = seen.request;
    const isOther = seen.caller.credential === null && NOT_OF_A_TOOL.test(target);
    if (isOther || isRemoved(seen) || context.state.hasToken(target)) return;
    reportPath(seen, context);
  },
};

/**
 * A URL in the form of a launch's URL, but of no launch, had a segment changed.
 */
export const urlSegmentChanged: Rule = {
  code: 'request.url_segment_changed',
  at: ['row', 'files', 'file', 'grade', 'provision'],
  see: ({ number, target, caller }, { book, report }) => {
    if (isStranger(caller) || target === undefined || book.isHandedOut(target, caller.token))
      return;
    const what = changedIn(target, caller.token);
    const kind = kindOf(target);
    report(`${kind} ${what}`, [number], { what, kind });
  },
};

function kindOf(target: Target): string {
  if (target.kind === 'grade') return 'grade';
  return target.kind === 'provision' ? 'provision' : `${target.row.kind} ${target.kind}`;
}

/** The segments in which an address differs from those of the caller's own launch. */
function changedIn(target: Target, own: Token | undefined): string {
  if (own === undefined) return 'a segment';
  // The member of a grade URL may be chosen by the caller.
  const given: Readonly<Record<string, string>> =
    target.kind === 'grade'
      ? { ...target.grade, member: '' }
      : target.kind === 'provision'
        ? { course: target.course, tool: target.tool, location: target.location }
        : { ...target.row };
  const names = ['course', 'tool', 'location', 'member', 'user'] as const;
  const changed = names.filter((name) => given[name] && given[name] !== own[name]);
  return changed.length === 0 ? 'a segment' : `the ${changed.join(' and the ')} segment`;
}

const MAX_CHARACTERS = 200;

/** Reports a request by its path: without its query, and without a secret in it. */
function reportPath(
  { number, request }: SeenRequest,
  { state, report }: Pick<RuleContext<unknown>, 'state' | 'report'>,
): void {
  const shown = state.redact(request.target.replace(/\?.*$/s, '?…'));
  const bearer = bearerOf(request) ?? '';
  const isSecret = bearer.length >= MIN_SECRET_CHARACTERS;
  const whole = isSecret ? redactor([bearer], { shown: () => '…' })(shown) : shown;
  const [method, path] = [request.method, whole.slice(0, MAX_CHARACTERS)];
  report(`${method} ${path}`, [number], { method, path });
}
