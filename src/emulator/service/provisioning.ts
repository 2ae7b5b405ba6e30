import { liveToken, rowKey } from './access.ts';
import {
  allowMethods,
  NO_CONTENT,
  refuse,
  type PlainRequest,
  type Reply,
} from '../http/messages.ts';
import type { EmulatorState } from '../state.ts';
import type { Course } from '../world/world.ts';
import { touchToken } from './tokens.ts';

/** A level that a tool provisions: the course itself, or one location ('' for none). */
export interface Level {
  readonly tool: string;
  readonly course: string;
  readonly location: string;
}

/**
 * The finish call ("States: storage row provisioning"): the tool PUTs the URL of the `provision`
 * claim when the level is ready. Its body counts for nothing, it may be repeated, and "it works with
 * the request's own token whoever triggered setup", as with any live token of the tool in the course.
 */
export async function answerProvision(
  state: EmulatorState,
  request: PlainRequest,
  address: Level,
): Promise<Reply> {
  allowMethods(request, 'PUT');
  const token = liveToken(state, request);
  const level = findLevel(state, address);
  if (level === undefined || level.tool !== token.tool) refuse('row.not_found');
  if (level.course !== token.course) refuse('row.not_member');
  finishLevel(state, level);
  touchToken(state, token);
  return NO_CONTENT;
}

function findLevel(state: EmulatorState, { tool, course, location }: Level): Level | undefined {
  const { world } = state;
  if (location === '') return world.isPlaced(tool, course) ? { tool, course, location } : undefined;
  const found = world.locations.get(location);
  return found && { tool: found.tool, course: found.course, location };
}

/** Provisions the rows of a level; only the first time counts. */
export function finishLevel(state: EmulatorState, level: Level): void {
  const key = levelKey(level);
  if (!state.provisioned.has(key)) state.provisioned.set(key, { at: state.clock.now() });
}

/** Whether the finish call for a level was made. */
function isFinished(state: EmulatorState, level: Level): boolean {
  return state.provisioned.has(levelKey(level));
}

function levelKey(level: Level): string {
  const kind = level.location === '' ? 'context' : 'location';
  return rowKey({ kind, ...level, member: '' });
}

/** Whether a location and its course are provisioned. */
export function isReady(state: EmulatorState, level: Level): boolean {
  return isFinished(state, level) && isFinished(state, { ...level, location: '' });
}

/** Whether a location of a course is not provisioned yet. */
export function isWaiting(state: EmulatorState, { id: course }: Course): boolean {
  return state.world
    .locationsOf(course)
    .some(({ id: location, tool }) => !isReady(state, { tool, course, location }));
}
