import {
  chooseLocation,
  chooseMember,
  launchableTool,
  type LaunchRequest,
} from './launch-request.ts';
import { claimsOf } from './claims.ts';
import type { EmulatorState } from '../state.ts';
import { issueToken } from '../service/tokens.ts';
import type { Tool } from './world.ts';
import type { Token } from '../store/records.ts';

export interface Launched {
  readonly token: Token;
  readonly claims: Record<string, unknown>;
}

/** A tool that would have been launched had it been active. */
export type PassedOver = Pick<Tool, 'id' | 'status'>;

/** Launches a tool at a location of a course for one of its members. */
export function launch(state: EmulatorState, wish: LaunchRequest): Launched {
  const location = chooseLocation(state, wish);
  const tool = launchableTool(state, location.tool);
  const member = chooseMember(state, location.course, wish);
  const token = issueToken(state, {
    kind: 'launch',
    tool: tool.id,
    course: location.course,
    location: location.id,
    member: member.id,
    user: member.user,
    account: wish.account === true,
  });
  return { token, claims: claimsOf(state, token) };
}

/** The tool in whose place another was launched, since nothing said which. */
export function passedOver(
  { world }: EmulatorState,
  wish: LaunchRequest,
  { token }: Launched,
): PassedOver | null {
  if (wish.location !== undefined || wish.tool !== undefined) return null;
  const first = world.tools.get(world.locationsOf(token.course)[0]?.tool ?? '');
  if (first === undefined || first.id === token.tool) return null;
  return { id: first.id, status: first.status };
}
