import { bearerOf, type PlainRequest } from '../http/messages.ts';
import type { Token } from '../state/records.ts';
import type { EmulatorState } from '../state/state.ts';
import type { Tool } from '../state/world.ts';
import { readTarget, type Target } from './addresses.ts';

/** A request to the service, with its parsed address and credential. */
export interface Call {
  readonly request: PlainRequest;
  /** Undefined if the address has no known form, and on the origin of the signed addresses. */
  readonly target: Target | undefined;
  readonly caller: RequestCaller;
  /** The LMS refuses the score, whatever its settings. */
  readonly isScoreRefused: boolean;
}

/** The bearer token of a request. */
export interface RequestCaller {
  /** null if there is none. */
  readonly credential: 'launch_token' | 'provision_token' | 'api_key' | 'unknown' | null;
  /** The token of a launch or a provision request, ended or not. */
  readonly token?: Token;
  /** The tool of an API key. */
  readonly tool?: Tool;
}

export function targetOf({ origin, target }: Pick<PlainRequest, 'origin' | 'target'>) {
  return origin === 'blobs' ? undefined : readTarget(target);
}

export function callerOf(
  state: EmulatorState,
  request: Pick<PlainRequest, 'headers'>,
): RequestCaller {
  const bearer = bearerOf(request);
  if (bearer === undefined) return { credential: null };
  const token = state.tokens.get(bearer);
  if (token !== undefined) {
    return { credential: token.kind === 'launch' ? 'launch_token' : 'provision_token', token };
  }
  const tool = state.world.toolOfKey(bearer);
  return tool === undefined ? { credential: 'unknown' } : { credential: 'api_key', tool };
}
