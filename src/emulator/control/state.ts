import type { GradeAttempt } from '../../contract/index.ts';
import { filesOf } from '../state/files.ts';
import { lmsAt, type ScorePayload } from '../service/grades/lms.ts';
import type { EmulatorState } from '../state/state.ts';
import { endOf } from '../state/tokens.ts';
import type { ProvisionCall, ToolCode } from '../state/records.ts';
import type { Course, Location, Member, Tool } from '../state/world.ts';

/** All state, for people and tests; of row bodies only the size. */
export function stateOf(state: EmulatorState) {
  const { world, store } = state;
  return {
    now: new Date(state.clock.now()).toISOString(),
    tools: [...world.tools.values()].map(shownTool),
    courses: [...world.courses.values()].map(shownCourse),
    locations: [...world.locations.values()].map((location) => shownLocation(state, location)),
    members: [...world.members.values()].map(shownMember),
    provisioned: [...state.provisioned.entries()].map(([row, { at }]) => ({ row, at })),
    rows: [...store.rows()].map(({ key, body }) => ({ row: key, bytes: body.length })),
    files: filesState(state),
    codes: [...state.hosted.codes.values()].map(shownCode),
    provision_requests: [...state.provisionCalls.values()].map(shownCall),
    locations_answers: [...state.locationsAnswers.values()],
    attempts: [...store.attempts.all<GradeAttempt>()],
    gradebook: store.attempts.gradebook<ScorePayload>(),
    tokens: tokensState(state),
  };
}

/*
 * The JSON forms of the records. Their names are those of the contract and of seeds, independent of
 * the names in the code.
 */

function shownTool(tool: Tool) {
  const { id, name, hosted, status, apiKey, versions, current, pilot } = tool;
  const { callback, provisionUrl: provision_url, locationsUrl: locations_url } = tool;
  const addresses = { callback, provision_url, locations_url };
  return { id, name, hosted, status, api_key: apiKey, versions, current, pilot, ...addresses };
}

function shownCourse({ id, title, deployment, parent, codes }: Course) {
  return { id, title, deployment, parent, codes };
}

function shownLocation(state: EmulatorState, location: Location) {
  const { id, course, tool, extid, type, title, parent, column } = location;
  const { refuse, scope, slowMs, column: lmsColumn } = lmsAt(state, id);
  return {
    id,
    course,
    tool,
    extid,
    type,
    title,
    resource_link: location.resourceLink,
    parent,
    column,
    grade_url: location.gradeUrl,
    lms: { refuse, scope, slow_ms: slowMs, column: lmsColumn },
  };
}

function shownMember({ id, user, course, groups, email, left, ...names }: Member) {
  const { givenName: given_name, familyName: family_name, lmsUser: lms_user } = names;
  return { id, user, course, groups, given_name, family_name, email, lms_user, left };
}

function shownCall({ launchId, ...call }: ProvisionCall) {
  return { ...call, launch_id: launchId };
}

/** The code of a version, in its JSON form. */
export function shownCode({ tool, version, sha256, zipSize, size, files, uploaded }: ToolCode) {
  return { tool, version, files, bytes: size, zip_bytes: zipSize, sha256, uploaded };
}

function filesState(state: EmulatorState) {
  const rows = new Set([...state.files.values()].map(({ row }) => row));
  return [...rows].flatMap((row) =>
    filesOf(state, row).map(({ key, size, modified, contentType, filename, attachment }) => {
      return { row, key, size, modified, content_type: contentType, filename, attachment };
    }),
  );
}

/** Tokens by their launch ID: the tokens themselves are secrets. */
function tokensState(state: EmulatorState) {
  const now = state.clock.now();
  return [...state.tokens.values()].map((token) => {
    const { kind, launchId, tool, course, location, member, issued, lastCall } = token;
    const ended = endOf(token, now);
    const times = { issued, last_call: lastCall, ended };
    return Object.assign(times, { kind, launch_id: launchId, tool, course, location, member });
  });
}
