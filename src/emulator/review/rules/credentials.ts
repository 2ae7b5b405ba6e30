import { exchangesWhere, type Rule, ruleOfEach } from '../rule.ts';
import type { StoredExchange } from '../stored-exchange.ts';

/** An API key is only for grades, of its own tool, where the tool is placed. */
export const apiKeyNotValid: Rule = {
  needs: 'keys',
  ...ruleOfEach(
    'request.api_key_not_valid',
    ['number', 'place', 'about', 'address', 'outcome', 'processed'],
    "outcome IS NOT NULL AND status >= 400 AND credential = 'api_key'",
    (each) => {
      const what = misuse(each);
      if (what === undefined) return undefined;
      return { subject: what, requests: [each.number], params: { what } };
    },
  ),
};

type Misused = Pick<StoredExchange, 'place' | 'about' | 'address' | 'outcome' | 'processed'>;

function misuse({ place, about, address, outcome, processed }: Misused): string | undefined {
  switch (place) {
    case 'row':
      return `a ${about}`;
    case 'files':
    case 'file':
      return `the files of a ${about?.replace(/ files?$/, '')} row`;
    case 'provision':
      return 'a provision URL';
    case 'grade':
      if (address?.startsWith('account/')) return 'a grade URL under /account/v1/users/';
      // An injected response says nothing about the key.
      if (processed === 0) return undefined;
      if (outcome === 'auth.other_tool') return 'a grade URL of another tool';
      return outcome === 'auth.not_placed'
        ? 'a grade URL of a course where the tool has no such placement'
        : undefined;
    default:
      return undefined;
  }
}

/** The calls that were refused because their token had ended. */
export const OF_ENDED_TOKEN =
  "status = 401 AND processed AND launch IS NOT NULL AND outcome IN ('auth.ended', 'auth.suspended')";

/** "Again and again": the first call, which is refused, and two more. */
const CALLS = 3;
const AT_ONCE_MS = 2000;

/**
 * The same call, again and again: a page that calls several addresses at once learns of the end
 * from all of them. Calls within two seconds of the first refusal, by both clocks, do not count as
 * a repetition.
 */
export const endedTokenRepeated: Rule = {
  code: 'request.ended_token_repeated',
  *find({ exchanges }) {
    const names = ['number', 'launch', 'method', 'path', 'begun', 'ms', 'at'] as const;
    const firsts = new Map<string | null, Refused>();
    const calls = new Map<string, number[]>();
    for (const each of exchangesWhere(exchanges, names, OF_ENDED_TOKEN)) {
      const { number, launch, method, path } = each;
      const first = firsts.get(launch);
      if (first === undefined) firsts.set(launch, each);
      const call = `${launch} ${method} ${path}`;
      const before = calls.get(call);
      if (before === undefined) calls.set(call, [number]);
      else if (first !== undefined && !isAtOnce(each, first)) before.push(number);
    }
    for (const [subject, requests] of calls) {
      if (requests.length < CALLS) continue;
      const [launch = ''] = subject.split(' ');
      yield { subject, requests, params: { launch, calls: requests.length } };
    }
  },
};

type Refused = Pick<StoredExchange, 'begun' | 'ms' | 'at'>;

function isAtOnce({ begun, ms, at }: Refused, first: Refused): boolean {
  const sinceFirst = begun - (first.begun + first.ms);
  return sinceFirst < AT_ONCE_MS && at - ms - first.at < AT_ONCE_MS;
}
