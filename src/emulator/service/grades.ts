import { checkGradeObject, type GradeAttempt, type GradeBody } from '../../contract/index.ts';
import { type JsonObject, parseJson, toNative } from '../../json/index.ts';
import { gradeCaller, type GradeCaller } from './access.ts';
import type { GradeAddress } from './addresses.ts';
import {
  allowMethods,
  bodyOf,
  noSuchAddress,
  objectTextOf,
  rawJsonReply,
  refuse,
  refuseAny,
} from '../http/messages.ts';
import type { PlainRequest, Reply } from '../http/messages.ts';
import { columnAt, publishScore, type Published } from './lms.ts';
import type { Service } from '../state.ts';
import { touchToken } from './tokens.ts';
import { isStaffMember, type Location, type Member } from '../world/world.ts';

/**
 * "Endpoints, Grade submission". Refuses in this order: 401; 404 course or location; 403; 404
 * member; 422 type of the location; 422 body. "A bad request publishes nothing and records nothing."
 */
export async function answerGrade(
  service: Service,
  request: PlainRequest,
  address: GradeAddress,
): Promise<Reply> {
  allowMethods(request, 'POST');
  const body = await bodyOf(request);
  const caller = gradeCaller(service, request, address);
  const location = findLocation(service, address);
  const member = findMember(service, caller, address, location);
  if (location.type !== 'assessment') refuse('grade.not_assessment');
  const grade = parseJson(objectTextOf(body)).value as JsonObject;
  refuseAny(checkGradeObject(grade));
  const attempt = await makeAttempt(service, caller, location, member, bodyWithoutNulls(grade));
  if (caller.is === 'user') touchToken(service, caller.token);
  return rawJsonReply(attempt);
}

function findLocation(service: Service, address: GradeAddress): Location {
  const location = service.world.locations.get(address.location);
  if (location === undefined) noSuchAddress();
  if (address.shape === 'account') {
    if (address.check !== accountCheck(service, address)) noSuchAddress();
    return location;
  }
  if (!service.world.courses.has(address.course) || !service.world.tools.has(address.tool)) {
    noSuchAddress();
  }
  return location;
}

/** What ties an account address together: its user segment is not one "that may be changed". */
export function accountCheck(
  service: Service,
  { user, location }: Pick<GradeAddress, 'user' | 'location'>,
): string {
  return service.sign(`account ${user} ${location}`).slice(0, 16);
}

/** The member to grade, if the caller may ("Authentication", 5 and 6). */
function findMember(
  service: Service,
  caller: GradeCaller,
  address: GradeAddress,
  location: Location,
): Member {
  const course = address.course || location.course;
  const tool = address.tool || location.tool;
  if (caller.is === 'server') checkKey(caller.tool.id, tool, course, location);
  const { world } = service;
  const member =
    address.shape === 'contexts'
      ? world.presentMember(course, address.member)
      : world.memberOf(course, address.user);
  if (caller.is === 'user') checkUser(service, caller, tool, course, member);
  const isPlaced = location.course === course && location.tool === tool;
  if (member === undefined || !isPlaced) noSuchAddress();
  return member;
}

function checkKey(keyTool: string, tool: string, course: string, location: Location): void {
  if (keyTool !== tool) refuse('auth.other_tool', { key_tool: keyTool, url_tool: tool });
  if (location.course !== course || location.tool !== tool) {
    refuse('auth.not_placed', { tool, location: location.id, context: course });
  }
}

/** A student grades only themselves, course staff everyone in their course. */
function checkUser(
  service: Service,
  caller: Extract<GradeCaller, { is: 'user' }>,
  tool: string,
  course: string,
  member: Member | undefined,
): void {
  const { token } = caller;
  const own = service.world.memberOf(course, token.user);
  if (own === undefined || token.tool !== tool) refuse('auth.not_this_member');
  if (!isStaffMember(own) && own.id !== member?.id) refuse('auth.not_this_member');
}

/** null has no meaning of its own here: a field that is null counts as left out. */
function bodyWithoutNulls(grade: JsonObject): GradeBody {
  const given = Object.entries(toNative(grade) as object).filter(([, value]) => value !== null);
  return Object.fromEntries(given) as unknown as GradeBody;
}

/** "Every call publishes to the LMS and records one attempt", which is given as JSON. */
async function makeAttempt(
  service: Service,
  caller: GradeCaller,
  location: Location,
  member: Member,
  grade: GradeBody,
): Promise<string> {
  const submitted = service.instants.next();
  const score = {
    score: grade.score,
    maxScore: grade.max_score,
    comment: grade.comment ?? '',
    activityProgress: grade.activity_progress ?? 'Completed',
    gradingProgress: grade.grading_progress ?? 'FullyGraded',
    submitted: new Date(submitted).toISOString(),
  } as const;
  const lineitem = columnAt(service, location.id)?.lineitem ?? '';
  const published = await publishScore(service, location, member, score);
  const attempt: GradeAttempt = {
    id: service.newId(),
    status: published.error === '' ? 'success' : 'failed',
    score: score.score,
    max_score: score.maxScore ?? null,
    activity_progress: score.activityProgress,
    grading_progress: score.gradingProgress,
    submitted: score.submitted,
    lineitem,
    data: { comment: score.comment, ...dataOf(published, caller) },
    annotations: {
      member: member.id,
      location: location.id,
      app: location.tool,
      context: location.course,
    },
  };
  const json = JSON.stringify(attempt);
  const payload = published.payload === null ? '' : JSON.stringify(published.payload);
  service.store.addAttempt({
    location: location.id,
    member: member.id,
    submitted,
    json,
    payload,
  });
  return json;
}

function dataOf(
  { error, response }: Published,
  caller: GradeCaller,
): Omit<GradeAttempt['data'], 'comment'> {
  const source =
    caller.is === 'user'
      ? ({ source_type: 'launch_token', source_id: caller.token.user } as const)
      : ({ source_type: 'api_key', source_id: '' } as const);
  return { response, error, ...source };
}
