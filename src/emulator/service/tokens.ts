import { LAUNCH_TOKEN_IDLE_MS, PROVISION_TOKEN_MS } from '../../contract/index.ts';
import type { Service } from '../state.ts';

/** Why a token ended, in the words of "States: launch token". */
export type EndReason =
  | 'idle'
  | 'lifetime over'
  | 'tool suspended'
  | 'tool archived'
  | 'code replaced'
  | 'left the course'
  | 'membership changed'
  | 'ended by hand';

/** A launch's `api.token`, or the token of a provision request, with the launch that it stands for. */
export interface Token {
  readonly token: string;
  readonly kind: 'launch' | 'provision';
  readonly launchId: string;
  readonly tool: string;
  readonly course: string;
  /** '' for a provision request of the course alone. */
  readonly location: string;
  /** The member and user who launched; both '' for a provision request. */
  readonly member: string;
  readonly user: string;
  /** Whether `grade.submit` has the account shape. */
  readonly account: boolean;
  /** ms since the epoch. */
  readonly issued: number;
  readonly lastCall: number;
  /** The `lastCall` that the store has. */
  readonly storedCall: number;
  readonly ended: EndReason | '';
}

/** How far `lastCall` may be behind in the store: reads should not each cost a write. */
const LAST_CALL_LAG_MS = 60 * 1000;

/** Issues a token for what the launch stands for. */
export function issueToken(
  service: Service,
  launch: Pick<Token, 'kind' | 'tool' | 'course' | 'location' | 'member' | 'user' | 'account'>,
): Token {
  const issued = service.clock.now();
  const token: Token = {
    ...launch,
    token: `${launch.kind === 'launch' ? 'lt' : 'pt'}_${service.secret()}`,
    launchId: service.newId(),
    issued,
    lastCall: issued,
    storedCall: issued,
    ended: '',
  };
  service.tokens.set(token.token, token);
  return token;
}

/**
 * The reason for which a token has ended by now, or ''. "12 hours without a call" end a launch
 * token, 3 hours that of a provision request; exactly at the limit it has ended.
 */
export function endOf(token: Token, now: number): EndReason | '' {
  if (token.ended !== '') return token.ended;
  if (token.kind === 'provision') {
    return now - token.issued >= PROVISION_TOKEN_MS ? 'lifetime over' : '';
  }
  return now - token.lastCall >= LAUNCH_TOKEN_IDLE_MS ? 'idle' : '';
}

/** Restarts the idle timer, after a successful call. */
export function touchToken(service: Service, token: Token): void {
  if (token.kind === 'provision') return;
  // The call itself may have changed the record, or ended it.
  const current = service.tokens.get(token.token);
  if (current === undefined || current.ended !== '') return;
  const lastCall = service.clock.now();
  if (lastCall === current.lastCall) return;
  if (lastCall - current.storedCall < LAST_CALL_LAG_MS) {
    service.tokens.hold(token.token, { ...current, lastCall });
  } else {
    service.tokens.set(token.token, { ...current, lastCall, storedCall: lastCall });
  }
}

/** Writes what `touchToken` held back, before an orderly end. */
export function storeLastCalls(service: Service): void {
  for (const token of service.tokens.values()) {
    const { lastCall } = token;
    if (lastCall === token.storedCall) continue;
    service.tokens.set(token.token, { ...token, storedCall: lastCall });
  }
}

/** Ends every live token that the test picks; returns how many. A token once ended stays ended. */
export function endTokens(
  service: Service,
  reason: EndReason,
  isMeant: (token: Token) => boolean,
): number {
  const now = service.clock.now();
  let count = 0;
  for (const token of service.tokens.values()) {
    if (token.ended !== '' || !isMeant(token)) continue;
    service.tokens.set(token.token, { ...token, ended: endOf(token, now) || reason });
    count++;
  }
  return count;
}

/** Marks those whose time is over: called before the clock is moved back, and after it was moved on. */
export function endOverdueTokens(service: Service): void {
  const now = service.clock.now();
  for (const token of service.tokens.values()) {
    const end = endOf(token, now);
    if (end !== token.ended) service.tokens.set(token.token, { ...token, ended: end });
  }
}
