import { chooseLocation, chooseMember, launchableTool, type LaunchWish } from './launch-request.ts';
import { claimsOf } from './claims.ts';
import type { Service } from '../state.ts';
import { issueToken, type Token } from '../service/tokens.ts';
import type { Tool } from './world.ts';

export interface Launched {
  readonly token: Token;
  readonly claims: Record<string, unknown>;
}

/** A tool that would have been launched had it been active. */
export type PassedOver = Pick<Tool, 'id' | 'status'>;

/** Launches a tool at a location of a course for one of its members. */
export function launch(service: Service, wish: LaunchWish): Launched {
  const location = chooseLocation(service, wish);
  const tool = launchableTool(service, location.tool);
  const member = chooseMember(service, location.course, wish);
  const token = issueToken(service, {
    kind: 'launch',
    tool: tool.id,
    course: location.course,
    location: location.id,
    member: member.id,
    user: member.user,
    account: wish.account === true,
  });
  return { token, claims: claimsOf(service, token) };
}

/** The tool in whose place another was launched, since nothing said which. */
export function passedOver(
  { world }: Service,
  wish: LaunchWish,
  { token }: Launched,
): PassedOver | null {
  if (wish.location !== undefined || wish.tool !== undefined) return null;
  const first = world.tools.get(world.locationsOf(token.course)[0]?.tool ?? '');
  if (first === undefined || first.id === token.tool) return null;
  return { id: first.id, status: first.status };
}
