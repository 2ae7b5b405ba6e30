import { liveToken } from './access.ts';

import { NO_CONTENT } from '../http/messages.ts';
import { refuse } from './refuse.ts';
import type { EmulatorState } from '../state/state.ts';

import { touchToken } from '../state/tokens.ts';
import type { Call } from './call.ts';
import { type Level, finishLevel } from '../state/provisioned.ts';
import type { Answered } from './facts.ts';

/**
 * The finish call ("States: storage row provisioning"): the tool PUTs the URL of the `provision`
 * claim when the level is ready. Its body is ignored, it may be repeated, and "it works with the
 * request's own token whoever triggered setup", as with any live token of the tool in the course.
 */
export async function answerProvision(
  state: EmulatorState,
  { caller }: Call,
  address: Level,
): Promise<Answered> {
  const token = liveToken(state, caller);
  const level = findLevel(state, address);
  if (level === undefined || level.tool !== token.tool) refuse('row.not_found');
  if (level.course !== token.course) refuse('row.not_member');
  finishLevel(state, level);
  touchToken(state, token);
  return { reply: NO_CONTENT, facts: {} };
}

function findLevel(state: EmulatorState, { tool, course, location }: Level): Level | undefined {
  const { world } = state;
  if (location === '') return world.isPlaced(tool, course) ? { tool, course, location } : undefined;
  const placement = world.locations.get(location);
  return placement && { tool: placement.tool, course: placement.course, location };
}
