import { LAUNCH_TOKEN_IDLE_MS } from '../../contract/index.ts';
import { endOf } from '../state/tokens.ts';
import type { EmulatorState } from '../state/state.ts';
import type { EndReason, Token } from '../state/records.ts';
import { versionClaim } from '../state/versions.ts';

/** Why a session ended, for the person at the course page ("States: launch token"). */
const REASONS: Readonly<Record<EndReason, string>> = {
  idle: 'it was idle: no call for 12 hours',
  'lifetime over': 'its lifetime has passed',
  'tool suspended': 'the tool was suspended',
  'tool archived': 'the tool was archived',
  'code replaced': 'the code of the tool was replaced',
  'left the course': 'the person left the course',
  'membership changed': 'the membership of the person changed',
  'ended by hand': 'it was ended by hand',
};

/** Status of the session of a launch. */
export interface SessionStatus {
  /** Why its token ended; null while it is valid. */
  readonly ended: string | null;
  /** Time until it ends if no call is made. */
  readonly seconds_left: number;
  /** Whether the service refused a call because the token had ended, but no frame has noticed. */
  readonly unnoticed: boolean;
  /** The version that the course runs and the offered one; null without an offer. */
  readonly upgrade: { readonly from: number; readonly to: number } | null;
}

export function statusOf(state: EmulatorState, token: Token): SessionStatus {
  const { clock, hosted } = state;
  const now = clock.now();
  const end = endOf(token, now);
  const left = token.lastCall + LAUNCH_TOKEN_IDLE_MS - now;
  return {
    ended: end === '' ? null : REASONS[end],
    seconds_left: end === '' ? Math.ceil(left / 1000) : 0,
    unnoticed: hosted.refused.has(token.launchId) && !hosted.noticed.has(token.launchId),
    upgrade: upgradeOf(state, token),
  };
}

function upgradeOf({ world }: EmulatorState, token: Token): SessionStatus['upgrade'] {
  const course = world.courses.get(token.course);
  if (course === undefined) return null;
  const { number, upgrade } = versionClaim(world.tools.get(token.tool), course);
  return upgrade === null ? null : { from: number, to: upgrade };
}
