import { liveToken, rowKey } from './access.ts';
import {
  allowMethods,
  NO_CONTENT,
  refuse,
  type PlainRequest,
  type Reply,
} from '../http/messages.ts';
import type { Service } from '../state.ts';
import type { Course } from '../world/world.ts';
import { touchToken } from './tokens.ts';

/** A level of a course that a tool makes ready: the course itself, or one location ('' for none). */
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
  service: Service,
  request: PlainRequest,
  address: Level,
): Promise<Reply> {
  allowMethods(request, 'PUT');
  const token = liveToken(service, request);
  const level = findLevel(service, address);
  if (level === undefined || level.tool !== token.tool) refuse('row.not_found');
  if (level.course !== token.course) refuse('row.not_member');
  finishLevel(service, level);
  touchToken(service, token);
  return NO_CONTENT;
}

function findLevel(service: Service, { tool, course, location }: Level): Level | undefined {
  const { world } = service;
  if (location === '') return world.isPlaced(tool, course) ? { tool, course, location } : undefined;
  const found = world.locations.get(location);
  return found && { tool: found.tool, course: found.course, location };
}

/** Makes the rows of a level answer; the first time counts. */
export function finishLevel(service: Service, level: Level): void {
  const key = levelKey(level);
  if (!service.provisioned.has(key)) service.provisioned.set(key, { at: service.clock.now() });
}

/** Whether the finish call for a level has come. */
function isFinished(service: Service, level: Level): boolean {
  return service.provisioned.has(levelKey(level));
}

function levelKey(level: Level): string {
  const kind = level.location === '' ? 'context' : 'location';
  return rowKey({ kind, ...level, member: '' });
}

/** Whether a location is, and the course that it is in. */
export function isReady(service: Service, level: Level): boolean {
  return isFinished(service, level) && isFinished(service, { ...level, location: '' });
}

/** Whether something in a course is still to be made ready. */
export function isWaiting(service: Service, { id: course }: Course): boolean {
  return service.world
    .locationsOf(course)
    .some(({ id: location, tool }) => !isReady(service, { tool, course, location }));
}
