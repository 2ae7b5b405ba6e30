import { violation, explainViolation } from '../../contract/index.ts';
import type { Caller } from '../http/caller.ts';
import type { Effect } from '../http/faults.ts';
import type { Place } from '../report/seen-request.ts';

/** What is brought on purpose: all of it can happen to a tool in a course. */
export type Trouble =
  /** The launch token ends before the call; it stays ended. */
  | 'ended'
  /** 401 to the API key, once: the tool was suspended for a moment. */
  | 'unauthorized'
  /** 503, and no effect. */
  | 'unavailable'
  /** The effect, and a response that breaks off or never comes. */
  | 'cut'
  /** The effect, and the response later. */
  | 'late'
  /** The LMS refuses the score. */
  | 'refused'
  /** After a row was read somebody else writes to it. */
  | 'changed';

/** How often each is chosen, where it is possible. An ended token is one for good. */
const WEIGHTS: Readonly<Record<Trouble, number>> = {
  ended: 1,
  unauthorized: 2,
  unavailable: 3,
  cut: 3,
  late: 2,
  refused: 3,
  changed: 3,
};

const ALWAYS: readonly Trouble[] = ['unavailable', 'cut', 'late'];

/** What can befall a request; nothing does where it is not one of a tool. */
export function possibleTroubles(place: Place, method: string, { credential }: Caller): Trouble[] {
  if (place === 'unknown') return [];
  if (place === 'signed') return [...ALWAYS];
  return [
    ...ALWAYS,
    ...(credential === 'launch_token' ? (['ended'] as const) : []),
    ...(place === 'grade' && credential === 'api_key' ? (['unauthorized'] as const) : []),
    ...(place === 'grade' ? (['refused'] as const) : []),
    ...(place === 'row' && method === 'GET' ? (['changed'] as const) : []),
  ];
}

/** One of the troubles, by a fraction from 0 to below 1. */
export function chooseTrouble(possible: readonly Trouble[], fraction: number): Trouble | undefined {
  const total = possible.reduce((sum, each) => sum + WEIGHTS[each], 0);
  let left = fraction * total;
  return possible.find((each) => (left -= WEIGHTS[each]) < 0);
}

const SHORTEST_MS = 500;
const SPREAD_MS = 1500;

/** What a trouble does to the response; undefined where it does something else. */
export function effectOf(trouble: Trouble, fraction: number): Effect | undefined {
  switch (trouble) {
    case 'unavailable':
      return { is: 'status', status: 503, headers: {}, body: '' };
    case 'unauthorized': {
      const code = 'auth.suspended';
      const { message } = explainViolation(violation(code, ''));
      const body = JSON.stringify({ error: { code, message } });
      return { is: 'status', status: 401, headers: { 'content-type': 'application/json' }, body };
    }
    case 'cut':
      return { is: 'cut' };
    case 'late':
      return { is: 'delay', ms: Math.round(SHORTEST_MS + fraction * SPREAD_MS) };
    default:
      return undefined;
  }
}
