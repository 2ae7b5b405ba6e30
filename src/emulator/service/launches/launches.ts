import {
  chooseLocation,
  chooseMember,
  launchableTool,
  type LaunchRequest,
} from './launch-request.ts';
import { claimsOf } from './claims.ts';
import type { EmulatorState } from '../../state/state.ts';
import { issueToken } from '../../state/tokens.ts';
import type { Tool } from '../../state/world.ts';
import type { Token } from '../../state/records.ts';

export interface Launched {
  readonly token: Token;
  readonly claims: Record<string, unknown>;
}

/** A tool that would have been launched if it were active. */
export type PassedOver = Pick<Tool, 'id' | 'status'>;

/** Launches a tool at a location of a course for one of its members. */
export function launch(state: EmulatorState, request: LaunchRequest): Launched {
  const location = chooseLocation(state, request);
  const tool = launchableTool(state, location.tool);
  const member = chooseMember(state, location.course, request);
  const token = issueToken(state, {
    kind: 'launch',
    tool: tool.id,
    course: location.course,
    location: location.id,
    member: member.id,
    user: member.user,
    account: request.account === true,
  });
  return { token, claims: claimsOf(state, token) };
}

/** The tool that was passed over for an active one, if none was requested. */
export function passedOver(
  { world }: EmulatorState,
  request: LaunchRequest,
  { token }: Launched,
): PassedOver | null {
  if (request.location !== undefined || request.tool !== undefined) return null;
  const first = world.tools.get(world.locationsOf(token.course)[0]?.tool ?? '');
  if (first === undefined || first.id === token.tool) return null;
  return { id: first.id, status: first.status };
}
