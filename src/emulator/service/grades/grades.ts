import {
  checkGradeBody,
  checkGradeObject,
  type GradeAttempt,
  type GradeBody,
  type Violation,
  withGradeDefaults,
} from '../../../contract/index.ts';
import { type JsonObject, parseJson } from '../../../json/index.ts';
import { gradeCaller, type GradeCaller } from '../access.ts';
import type { GradeRoute } from '../addresses.ts';
import { bodyOf, HttpError, noSuchAddress, type PlainRequest } from '../../http/messages.ts';
import { written } from '../reply.ts';
import { readObjectBody, refuse, refuseAny, refuseForm } from '../refuse.ts';
import { columnAt, publishScore, type Published, type Score } from './lms.ts';
import type { EmulatorState } from '../../state/state.ts';
import { isStaffMember, type Location, type Member } from '../../state/world.ts';
import type { Call, Answered } from '../call.ts';

/**
 * "Endpoints, Grade submission". Refuses in this order: 401; 404 course or location; 403; 404
 * member; 422 type of the location; and 422 body before or after these. "A bad request publishes nothing and records nothing."
 */
export async function answerGrade(
  state: EmulatorState,
  { request, caller, isScoreRefused }: Call,
  address: GradeRoute,
): Promise<Answered> {
  const body = await bodyOf(request);
  const by = gradeCaller(state, caller, address);
  const {
    access: { location, member },
    body: object,
  } = state.chosen.refusals(
    () => findGraded(state, by, address),
    () => readGrade(state, request, body),
  );
  const score = { ...withGradeDefaults(object as unknown as GradeBody), isRefused: isScoreRefused };
  const { attempt, failure } = await makeAttempt(state, by, location, member, score);
  if (by.kind === 'user') state.tokens.touch(by.token);
  const status = failure === undefined ? 'success' : 'failed';
  const facts = { attempt: { location: location.id, member: member.id, status, failure } } as const;
  return { reply: written(state, 200, attempt), facts };
}

/** The location and the member to grade. */
function findGraded(
  state: EmulatorState,
  by: GradeCaller,
  address: GradeRoute,
): { location: Location; member: Member } {
  const location = findLocation(state, address);
  const member = findMember(state, by, address, location);
  if (location.type !== 'assessment') refuse('grade.not_assessment');
  return { location, member };
}

function readGrade(state: EmulatorState, request: PlainRequest, body: Uint8Array) {
  refuseForm(state, request, body);
  const { text, object } = readObjectBody(body);
  refuseAny(state, checkGrade(text, object));
  return object;
}

function findLocation(state: EmulatorState, address: GradeRoute): Location {
  const location = state.world.locations.get(address.location);
  if (location === undefined) noSuchAddress();
  if (address.shape === 'account') {
    if (address.check !== accountCheck(state, address)) noSuchAddress();
    return location;
  }
  if (!state.world.courses.has(address.course) || !state.world.tools.has(address.tool)) {
    noSuchAddress();
  }
  return location;
}

/** A signature of the parts of an account URL: its user segment is not one "that may be changed". */
export function accountCheck(
  state: EmulatorState,
  { user, location }: Pick<GradeRoute, 'user' | 'location'>,
): string {
  return state.sign(`account ${user} ${location}`).slice(0, 16);
}

/** The member to grade, if the caller may ("Authentication", 5 and 6). */
function findMember(
  state: EmulatorState,
  caller: GradeCaller,
  address: GradeRoute,
  location: Location,
): Member {
  const course = address.course || location.course;
  const tool = address.tool || location.tool;
  if (caller.kind === 'server') checkKey(caller.tool.id, tool, course, location);
  const { world } = state;
  const member =
    address.shape === 'contexts'
      ? world.presentMember(course, address.member)
      : world.memberOf(course, address.user);
  if (caller.kind === 'user') checkUser(state, caller, course, member);
  const isPlaced = location.course === course && location.tool === tool;
  if (!isPlaced) noSuchAddress();
  if (member === undefined)
    throw new HttpError(state.chosen.unknown_member, 'not_found', 'no such member of the course');
  return member;
}

function checkKey(keyTool: string, tool: string, course: string, location: Location): void {
  if (keyTool !== tool) refuse('auth.other_tool', { key_tool: keyTool, url_tool: tool });
  if (location.course !== course || location.tool !== tool) {
    refuse('auth.not_placed', { tool, location: location.id, context: course });
  }
}

/**
 * Students may grade only themselves, course staff everyone in their course. The token may be of
 * another tool: it is valid for "any grade.submit URL".
 */
function checkUser(
  state: EmulatorState,
  { token }: Extract<GradeCaller, { kind: 'user' }>,
  course: string,
  member: Member | undefined,
): void {
  const own = state.world.memberOf(course, token.user);
  if (own === undefined) refuse('auth.not_this_member');
  if (!isStaffMember(own) && own.id !== member?.id) refuse('auth.not_this_member');
}

/** The digits of a score are read only where rounding could have moved it across 0 or 1. */
function checkGrade(text: string, grade: Readonly<Record<string, unknown>>): Violation[] {
  const { score } = grade;
  if (typeof score === 'number' && score > 0 && score < 1) return checkGradeBody(grade);
  return checkGradeObject(parseJson(text).value as JsonObject);
}

/** "Every call publishes to the LMS and records one attempt": the attempt, and its failure. */
async function makeAttempt(
  state: EmulatorState,
  caller: GradeCaller,
  location: Location,
  member: Member,
  score: Omit<Score, 'submitted'>,
): Promise<{ attempt: GradeAttempt; failure: Published['failure'] }> {
  const at = state.timestamps.next();
  const submitted = state.chosen.times(at);
  const lineitem = columnAt(state, location.id)?.lineitem ?? '';
  const published = await publishScore(state, location, member, { ...score, submitted });
  const { error, response, failure } = published;
  const { comment, isRefused: _, ...given } = score;
  const by = caller.kind === 'user' ? caller.token.user : '';
  const attempt: GradeAttempt = {
    id: state.newId(),
    status: failure === undefined ? 'success' : 'failed',
    ...given,
    submitted,
    lineitem,
    data: {
      comment,
      response,
      error,
      source_type: caller.kind === 'user' ? 'launch_token' : 'api_key',
      source_id: by,
    },
    annotations: {
      member: member.id,
      location: location.id,
      app: location.tool,
      context: location.course,
    },
  };
  const payload = published.payload && JSON.stringify(published.payload);
  const place = { location: location.id, member: member.id };
  state.attempts.add({ ...place, submitted: at, record: JSON.stringify(attempt), payload });
  return { attempt, failure };
}
