import { PROVISION_RETRY_MS } from '../../contract/index.ts';
import { chooseLocation, found, launchableTool } from './launch-request.ts';
import { claimsOf } from './claims.ts';
import { copyOf } from './copy-course.ts';
import type { Launched } from './launches.ts';
import { isReady, isWaiting, type Level } from '../service/provisioning.ts';
import type { EmulatorState } from '../state.ts';
import { endOf, issueToken } from '../service/tokens.ts';
import type { Course } from './world.ts';
import type { Token } from '../store/records.ts';

/** What a provision request is asked for by; what is left out is chosen. */
export interface ProvisionRequest {
  readonly course?: string;
  /** The course that it was copied from; copied now where it was not. */
  readonly from?: string;
  readonly location?: string;
  readonly tool?: string;
}

/**
 * Asks a tool to make a course, or one location of it, ready. "Asked once, and again after about 3
 * hours without a finish call": until then, and until the finish call, the outstanding request is
 * the one that is given.
 */
export function requestProvision(state: EmulatorState, wish: ProvisionRequest): Launched {
  const { id: course } = courseToProvision(state, wish);
  const location = chooseLocation(state, { ...wish, course });
  const level = {
    tool: launchableTool(state, location.tool).id,
    course,
    location: location.id,
  };
  const token =
    outstandingRequest(state, level) ??
    issueToken(state, { kind: 'provision', ...level, member: '', user: '', account: false });
  return { token, claims: claimsOf(state, token) };
}

function outstandingRequest(state: EmulatorState, level: Level): Token | undefined {
  if (isReady(state, level)) return undefined;
  const now = state.clock.now();
  return [...state.tokens.values()].find(
    (token) =>
      token.kind === 'provision' &&
      token.tool === level.tool &&
      token.location === level.location &&
      now - token.issued < PROVISION_RETRY_MS &&
      endOf(token, now) === '',
  );
}

function courseToProvision(state: EmulatorState, wish: ProvisionRequest): Course {
  const { world } = state;
  if (wish.from !== undefined) return copyOf(state, wish.from, wish.course);
  const id =
    wish.course ??
    (wish.location && found(world.locations.get(wish.location), 'location', wish.location).course);
  if (id !== undefined) return found(world.courses.get(id), 'course', id);
  const courses = [...world.courses.values()].filter(
    (course) => world.locationsOf(course.id, wish.tool).length > 0,
  );
  const waiting = courses.filter((course) => isWaiting(state, course));
  return found([...waiting.filter(isCopy), ...courses.filter(isCopy), ...courses][0], 'course', '');
}

function isCopy(course: Course): boolean {
  return course.parent !== '';
}
