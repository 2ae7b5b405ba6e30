import type { EmulatorState } from '../state.ts';
import type { Token } from '../store/records.ts';
import { bearerOf, type PlainRequest } from './messages.ts';

/** What the bearer token of a request is. */
export interface Caller {
  /** null where there is none. */
  readonly credential: 'launch_token' | 'provision_token' | 'api_key' | 'unknown' | null;
  /** Of a launch or a provision request, ended or not. */
  readonly token?: Token;
}

const NOBODY: Caller = { credential: null };
const SERVER: Caller = { credential: 'api_key' };
const UNKNOWN: Caller = { credential: 'unknown' };

/** Who makes a request. */
export function callerOf(state: EmulatorState, request: PlainRequest): Caller {
  const bearer = bearerOf(request);
  if (bearer === undefined) return NOBODY;
  const token = state.tokens.get(bearer);
  if (token === undefined) return state.world.toolOfKey(bearer) === undefined ? UNKNOWN : SERVER;
  return { credential: token.kind === 'launch' ? 'launch_token' : 'provision_token', token };
}
