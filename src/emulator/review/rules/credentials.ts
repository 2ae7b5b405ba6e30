import type { Target } from '../../service/addresses.ts';
import type { Token } from '../../state/records.ts';
import type { Rule } from '../rule.ts';
import type { SeenRequest } from '../seen-request.ts';

/** An API key is only for grades, of its own tool, where the tool is placed. */
export const apiKeyNotValid: Rule = {
  code: 'request.api_key_not_valid',
  at: ['row', 'files', 'file', 'provision', 'grade'],
  on: 'refusal',
  see: (seen, { report }) => {
    if (seen.caller.credential !== 'api_key' || seen.target === undefined) return;
    const what = misuse(seen.target, seen.facts.code);
    if (what !== undefined) report(what, [seen.number], { what });
  },
};

function misuse(target: Target, code: string | undefined): string | undefined {
  switch (target.kind) {
    case 'row':
      return `a ${target.row.kind} row`;
    case 'files':
    case 'file':
      return `the files of a ${target.row.kind} row`;
    case 'provision':
      return 'a provision URL';
    case 'grade':
      if (target.grade.shape === 'account') return 'a grade URL under /account/v1/users/';
      if (code === 'auth.other_tool') return 'a grade URL of another tool';
      return code === 'auth.not_placed'
        ? 'a grade URL of a course where the tool has no such placement'
        : undefined;
  }
}

/** The first refusal of an ended token, or the calls with it since then. */
interface Ended {
  /** When the first refusal was answered, by the monotonic clock. */
  readonly seenAt: number;
  /** The same by the emulator's clock. */
  readonly now: number;
  readonly requests: readonly number[];
  readonly calls: number;
}

/** "Again and again": the first call, which is refused, and two more. */
const CALLS = 3;
const LISTED = 50;
const CODES = new Set<string | undefined>(['auth.ended', 'auth.suspended']);
const AT_ONCE_MS = 2000;

/**
 * The same call, again and again: a page that calls several addresses at once learns of the end
 * from all of them. Calls within two seconds of the first refusal, by both clocks, do not count as
 * a repetition.
 */
export const endedTokenRepeated: Rule<Ended> = {
  code: 'request.ended_token_repeated',
  at: ['row', 'files', 'file', 'provision', 'grade', 'unknown'],
  on: 'refusal',
  keeps: 5000,
  mayCite: ({ requests }) => requests,
  see: (seen, { memory, report }) => {
    const token = endedTokenOf(seen);
    if (token === undefined) return;
    const { number } = seen;
    const { launchId } = token;
    const { method, target } = seen.request;
    const id = `${launchId} ${method} ${target}`;
    const first = memory.get(launchId);
    const refused = { seenAt: seen.ended, now: seen.now, requests: [number], calls: 1 };
    if (first === undefined) memory.set(launchId, refused);
    const before = memory.get(id);
    if (before === undefined) {
      memory.set(id, refused);
      return;
    }
    if (first !== undefined && isAtOnce(seen, first)) return;
    const calls = before.calls + 1;
    const requests = [...before.requests, number].slice(0, LISTED);
    memory.set(id, { ...before, requests, calls });
    if (calls < CALLS) return;
    report(id, calls === CALLS ? requests : [number], { launch: launchId, calls });
  },
};

/** The token of a call that was refused because it had ended. */
export function endedTokenOf({ status, caller, facts }: SeenRequest): Token | undefined {
  return status === 401 && CODES.has(facts.code) ? caller.token : undefined;
}

/** The monotonic clock starts again after a restart. */
function isAtOnce({ begun, ended, now }: SeenRequest, first: Ended): boolean {
  const sinceFirst = begun - first.seenAt;
  const byClock = now - (ended - begun) - first.now;
  return first.seenAt <= ended && sinceFirst < AT_ONCE_MS && byClock < AT_ONCE_MS;
}
