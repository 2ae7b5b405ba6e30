import { rowKey } from './rows.ts';
import type { EmulatorState } from './state.ts';
import type { Course } from './world.ts';

/** A level that a tool provisions: the course itself, or one location ('' for none). */
export interface Level {
  readonly tool: string;
  readonly course: string;
  readonly location: string;
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
