import type { LaunchState, LaunchSummary } from '../output/launch.ts';
import {
  isProvisionRequest,
  isStaff,
  LAUNCH_TOKEN_IDLE_MS,
  PROVISION_TOKEN_MS,
  readLaunch,
} from '../../contract/index.ts';
import type { LaunchKind } from '../../validator/launch.ts';
import type { Runtime } from '../runtime.ts';
import type { SavedLaunch, TokenStatus } from '../stores.ts';

/** What is shown of a saved launch. */
export async function launchSummary(
  runtime: Runtime,
  saved: SavedLaunch,
  current: boolean,
): Promise<LaunchSummary> {
  const seen = await (await runtime.tokenStatus()).of(saved);
  const launch = readLaunch(saved.claims);
  const kind = isProvisionRequest(launch) ? 'provision_request' : 'launch';
  const groups = launch.groups ?? null;
  const fullName = (isStaff(launch) ? launch.fullName : undefined) ?? null;
  const role = groups?.join(', ') ?? (kind === 'launch' ? 'role unknown' : '');
  return {
    name: saved.name,
    current,
    kind,
    user: fullName === null ? role : `${fullName} (${role})`,
    groups,
    full_name: fullName,
    member: launch.member ?? null,
    course: launch.course ?? launch.context ?? null,
    location: launch.location ?? null,
    origin: saved.origin ?? null,
    saved: saved.saved,
    last_success: seen.success ?? null,
    state: stateOf(kind, saved.saved, seen, runtime.now()),
    ended: seen.ended ?? null,
  };
}

/** "States: launch token": 12 hours without a call; the token of a provision request lives 3. */
function stateOf(kind: LaunchKind, saved: string, seen: TokenStatus, now: number): LaunchState {
  if (seen.ended !== undefined) return 'ended';
  const idleSince = Date.parse(seen.success ?? saved);
  const isOver =
    kind === 'launch'
      ? now - idleSince >= LAUNCH_TOKEN_IDLE_MS
      : now - Date.parse(saved) >= PROVISION_TOKEN_MS;
  if (isOver) return 'stale';
  return seen.success === undefined ? 'unseen' : 'live';
}
