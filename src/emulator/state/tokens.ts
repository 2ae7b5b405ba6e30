import { LAUNCH_TOKEN_IDLE_MS, PROVISION_TOKEN_MS } from '../../contract/index.ts';
import type { EmulatorState } from './state.ts';
import type { EndReason, Ticket, Token } from './records.ts';
import { versionIn } from './versions.ts';

/** How far the stored `lastCall` may be behind, so that not every read costs a write. */
const LAST_CALL_LAG_MS = 60 * 1000;

const PREFIXES = { launch: 'lt_', provision: 'pt_' } as const;

/** Whether a text looks like a token of an emulator. */
export function isTokenForm(text: string): boolean {
  return Object.values(PREFIXES).some((prefix) => text.startsWith(prefix));
}

export function issueToken(
  state: EmulatorState,
  launch: Pick<Token, 'kind' | 'tool' | 'course' | 'location' | 'member' | 'user' | 'account'>,
): Token {
  const issued = state.clock.now();
  const token: Token = {
    ...launch,
    token: `${PREFIXES[launch.kind]}${state.secret()}`,
    launchId: state.newId(),
    issued,
    lastCall: issued,
    storedCall: issued,
    ended: '',
  };
  state.tokens.set(token.token, token);
  return token;
}

/**
 * When a token ends if no call comes, in ms since the epoch: "12 hours without a call" end a launch
 * token, 3 hours that of a provision request.
 */
export function expiryOf({ kind, issued, lastCall }: Token): number {
  return kind === 'launch' ? lastCall + LAUNCH_TOKEN_IDLE_MS : issued + PROVISION_TOKEN_MS;
}

/** Why a token has ended by now, or ''. Exactly at its expiry it has ended. */
export function endOf(token: Token, now: number): EndReason | '' {
  if (token.ended !== '') return token.ended;
  if (now < expiryOf(token)) return '';
  return token.kind === 'launch' ? 'idle' : 'lifetime over';
}

/** Restarts the idle timer, after a successful call. */
export function touchToken(state: EmulatorState, token: Token): void {
  if (token.kind === 'provision') return;
  // The call itself may have changed or ended the record.
  const current = state.tokens.get(token.token);
  if (current === undefined || current.ended !== '') return;
  const lastCall = state.clock.now();
  if (lastCall === current.lastCall) return;
  if (lastCall - current.storedCall < LAST_CALL_LAG_MS) {
    state.tokens.hold(token.token, { ...current, lastCall });
  } else {
    state.tokens.set(token.token, { ...current, lastCall, storedCall: lastCall });
  }
}

/** Stores the calls that `touchToken` kept in memory, before an orderly end. */
export function storeLastCalls(state: EmulatorState): void {
  for (const token of state.tokens.values()) {
    const { lastCall } = token;
    if (lastCall === token.storedCall) continue;
    state.tokens.set(token.token, { ...token, storedCall: lastCall });
  }
}

/** Ends every live token that `isMeant` selects; returns how many. An ended token stays ended. */
export function endTokens(
  state: EmulatorState,
  reason: EndReason,
  isMeant: (token: Token) => boolean,
): number {
  const now = state.clock.now();
  let count = 0;
  for (const token of state.tokens.values()) {
    if (token.ended !== '' || !isMeant(token)) continue;
    state.tokens.set(token.token, { ...token, ended: endOf(token, now) || reason });
    count++;
  }
  return count;
}

/** Marks expired tokens as ended: called before and after the clock is moved. */
export function endOverdueTokens(state: EmulatorState): void {
  const now = state.clock.now();
  for (const token of state.tokens.values()) {
    const end = endOf(token, now);
    if (end !== token.ended) state.tokens.set(token.token, { ...token, ended: end });
  }
}

/**
 * The ticket of a launch for the version that its course runs now. It stays the same, so that a
 * frame keeps showing one version.
 */
export function ticketFor(state: EmulatorState, { launchId, tool, course }: Token): Ticket {
  const { hosted, world } = state;
  const [runs, within] = [world.tools.get(tool), world.courses.get(course)];
  const version = (runs && within && versionIn(runs, within)?.number) ?? 0;
  for (const known of hosted.tickets.values()) {
    if (known.launchId === launchId && known.version === version) return known;
  }
  const made = { ticket: state.secret(), launchId, tool, version };
  hosted.tickets.set(made.ticket, made);
  return made;
}

/** The token of a launch, by the launch's ID. */
export function tokenOfLaunch({ tokens }: EmulatorState, launchId: string): Token | undefined {
  for (const token of tokens.values()) if (token.launchId === launchId) return token;
  return undefined;
}
