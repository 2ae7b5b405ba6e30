import type { LaunchState, LaunchSummary } from '../json-forms/launch.ts';
import {
  isProvisionRequest,
  isStaff,
  LAUNCH_TOKEN_IDLE_MS,
  PROVISION_TOKEN_MS,
  readLaunch,
} from '../../contract/index.ts';
import type { LaunchKind } from '../../validator/launch.ts';
import type { Runtime, Context } from '../runtime.ts';
import type { SavedLaunch, TokenStatus } from '../saved.ts';
import { note } from '../ui.ts';

/** The summaries of the saved launches, in the order of their names, including damaged ones. */
export async function summariseAll(context: Context): Promise<LaunchSummary[]> {
  const saved = await (
    await context.launches()
  ).list((why) => void note(context, `skipped: ${why}`));
  return Promise.all(saved.map((each) => summariseLaunch(context, each)));
}

/** The summary of one saved launch. */
export async function summariseLaunch(
  runtime: Runtime,
  saved: SavedLaunch,
): Promise<LaunchSummary> {
  const seen = await (await runtime.tokenStatus()).of(saved);
  const launch = readLaunch(saved.claims);
  const kind = isProvisionRequest(launch) ? 'provision_request' : 'launch';
  return {
    name: saved.name,
    current: (await runtime.settings()).get('currentLaunch') === saved.name,
    kind,
    state: stateOf(kind, saved.saved, seen, runtime.now()),
    groups: launch.groups ?? null,
    full_name: (isStaff(launch) ? launch.fullName : undefined) ?? null,
    member: launch.member ?? null,
    course: launch.course ?? launch.context ?? null,
    location: launch.location ?? null,
    origin: saved.origin ?? null,
    saved: saved.saved,
    last_success: seen.success ?? null,
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
