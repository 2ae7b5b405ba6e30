import { requireFound } from '../../http/refusals.ts';
import {
  checkLocations,
  explainViolation,
  isCertain,
  isObject,
  readJson,
  truncateMessage,
  type Violation,
} from '../../../contract/index.ts';
import { toNative } from '../../../json/index.ts';
import { HttpError } from '../../http/messages.ts';
import type { EmulatorState } from '../../state/state.ts';
import type { LocationsAnswer } from '../../state/records.ts';
import { type Course, PLACED, type Tool } from '../../state/world.ts';
import { requireActive } from '../launches/launches.ts';
import { postToTool } from './post.ts';
import { signedToken } from './signature.ts';

/** The tool and course of a locations request; both are chosen if left out. */
export interface LocationsRequest {
  readonly tool?: string | undefined;
  readonly course?: string | undefined;
}

/**
 * Asks a tool with a `locations_url` for its locations in a course, and checks the answer. The contract
 * does not show the request: the claims of the course as JSON are lectern's interpretation.
 */
export async function requestLocations(
  state: EmulatorState,
  request: LocationsRequest,
): Promise<LocationsAnswer> {
  const isReset = state.delays.watchReset();
  const tool = chooseTool(state, request.tool);
  const course = chooseCourse(state, tool, request.course);
  const body = {
    iss: state.urls.api,
    context: course.id,
    course: { title: course.title },
    organization: { deployment: course.deployment },
  };
  const token = await signedToken(state, tool, body, 'RS256');
  const { status, text, error } = await postToTool(state, tool.locations_url ?? '', {
    body,
    token,
  });
  const judged = error === null ? judge(text) : { findings: [], answer: null };
  const asked = state.clock.now();
  const answer = { tool: tool.id, course: course.id, asked, status, error, ...judged };
  // After a reset the answer would belong to a course that is gone.
  if (!isReset()) state.locationsAnswers.put(answer);
  return answer;
}

function chooseTool({ world }: EmulatorState, id: string | undefined): Tool {
  const tool =
    id === undefined
      ? world.tools.first('locations_url IS NOT NULL')
      : requireFound(world.tools.get(id), 'tool', id);
  if (tool?.locations_url !== undefined) return requireActive(tool);
  const message =
    tool === undefined
      ? 'no tool of the seed has a locations_url'
      : `tool ${tool.id} has no locations_url in the seed`;
  throw new HttpError(422, 'locations.no_url', message);
}

function chooseCourse({ world }: EmulatorState, tool: Tool, id: string | undefined): Course {
  if (id !== undefined) return requireFound(world.courses.get(id), 'course', id);
  const placed = world.courses.first(PLACED, [tool.id]);
  return requireFound(placed ?? world.courses.first('true'), 'course', '');
}

/**
 * The part of an answer that the service accepts, null if it rejects it; and the validator's
 * findings.
 */
function judge(text: string): Pick<LocationsAnswer, 'answer' | 'findings'> {
  const read = readJson(Buffer.from(text));
  const violations = 'violation' in read ? [read.violation] : checkLocations(read.value);
  const findings = violations.map(findingOf);
  if ('violation' in read || violations.some(isCertain)) return { findings, answer: null };
  const given = toNative(read.value);
  return { findings, answer: acceptedLocations(isObject(given) ? given : {}) };
}

/** What the service takes of an answer; null where there is nothing. */
export function acceptedLocations(answer: Readonly<Record<string, unknown>>) {
  const { locations = null, grouped_locations = null, message } = answer;
  const cut = typeof message === 'string' ? truncateMessage(message) : null;
  return { locations, grouped_locations, message: cut };
}

function findingOf(found: Violation): LocationsAnswer['findings'][number] {
  const { severity, message, hint } = explainViolation(found);
  return { code: found.code, severity, path: found.path, message, hint };
}
