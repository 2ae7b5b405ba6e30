import { bearerOf, type PlainRequest, type Reply } from '../http/messages.ts';
import type { Token } from '../state/records.ts';
import type { EmulatedRow } from '../state/row-table.ts';
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

export function targetOf(
  state: EmulatorState,
  { origin, target }: Pick<PlainRequest, 'origin' | 'target'>,
) {
  return origin === 'blobs' ? undefined : readTarget(state, target);
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

/** A response of the service, with the facts for the report. */
export interface Answered {
  readonly reply: Reply;
  readonly facts: Facts;
}

/** Facts about a request that the service knows, so that the report does not have to derive them. */
export interface Facts {
  readonly code?: string;
  /** The message of a refusal, or ''; its envelope may not have it. */
  readonly message?: string;
  /** The row of the address, unless the call was refused. */
  readonly row?: EmulatedRow;
  readonly written?: RowWriteFact;
  /** A row was read that was never written. */
  readonly isUnwritten?: boolean;
  readonly attempt?: {
    readonly location: string;
    readonly member: string;
    readonly status: 'success' | 'failed';
    readonly failure: 'refused' | 'no_line_item' | 'scope' | undefined;
  };
  /** A file was deleted that did not exist. */
  readonly isAbsent?: boolean;
  /** The key of the form in the answer to a declaration. */
  readonly declared?: string | undefined;
  /** The key of the form of an upload that an injected response prevented. */
  readonly preventedUpload?: string | undefined;
  /** The file that was uploaded completely. */
  readonly uploaded?: { readonly row: string; readonly key: string };
  /** The signed address, or the key of the form, that was used after it had expired. */
  readonly expired?: string | undefined;
}

export interface RowWriteFact {
  /** Undefined for a row that had never been written. */
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array;
  /** Bytes of the object as compact JSON. */
  readonly size: number;
  /** Pointers to what a PATCH adds or replaces, to the names in objects; undefined for a PUT. */
  readonly pointers?: readonly string[];
}
