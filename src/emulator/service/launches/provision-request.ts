import { requireFound } from '../../http/fields.ts';
import { PROVISION_RETRY_MS } from '../../../contract/index.ts';
import { chooseLocation, launchableTool } from './launch-request.ts';
import { claimsOf } from './claims.ts';
import { findOrMakeCopy } from './copy-course.ts';
import type { Launched } from './launches.ts';
import { isReady, isWaiting, type Level } from '../../state/provisioned.ts';
import type { EmulatorState } from '../../state/state.ts';
import { endOf, issueToken } from '../../state/tokens.ts';
import type { Course, Location } from '../../state/world.ts';
import type { Token } from '../../state/records.ts';

/** Parameters of a provision request; all have defaults. */
export interface ProvisionRequest {
  readonly course?: string;
  /** The course to copy from; the copy is made now if necessary. */
  readonly from?: string;
  readonly location?: string;
  readonly tool?: string;
}

/**
 * Requests that a tool provisions a course, or one location of it. "Asked once, and again after about
 * 3 hours without a finish call": until then an outstanding request is returned again.
 */
export function requestProvision(state: EmulatorState, request: ProvisionRequest): Launched {
  const { id: course } = courseToProvision(state, request);
  const location = locationToProvision(state, { ...request, course });
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

/** The locations of a course that wait for their finish call, of tools with a server. */
export function waitingLocations(
  state: EmulatorState,
  course: string,
  tool: string | undefined,
): Location[] {
  const { world } = state;
  return world
    .locationsOf(course, tool)
    .filter((location) => world.tools.get(location.tool)?.status === 'active')
    .filter(({ id, tool: own }) => !isReady(state, { tool: own, course, location: id }));
}

/** A location that waits, preferably one of a tool with a server. */
function locationToProvision(
  state: EmulatorState,
  request: ProvisionRequest & { readonly course: string },
): Location {
  const waiting =
    request.location === undefined ? waitingLocations(state, request.course, request.tool) : [];
  const hasServer = ({ tool }: Location): boolean =>
    state.world.tools.get(tool)?.provisionUrl !== undefined;
  const first = waiting.find(hasServer) ?? waiting[0];
  const own = waiting.filter(({ tool }) => tool === first?.tool);
  return own.find(({ type }) => type === 'assessment') ?? own[0] ?? chooseLocation(state, request);
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

function courseToProvision(state: EmulatorState, request: ProvisionRequest): Course {
  const { world } = state;
  if (request.from !== undefined) return findOrMakeCopy(state, request.from, request.course);
  const id =
    request.course ??
    (request.location &&
      requireFound(world.locations.get(request.location), 'location', request.location).course);
  if (id !== undefined) return requireFound(world.courses.get(id), 'course', id);
  const courses = [...world.courses.values()].filter(
    (course) => world.locationsOf(course.id, request.tool).length > 0,
  );
  const waiting = courses.filter((course) => isWaiting(state, course));
  return requireFound(
    [...waiting.filter(isCopy), ...courses.filter(isCopy), ...courses][0],
    'course',
    '',
  );
}

function isCopy(course: Course): boolean {
  return course.parent !== '';
}
