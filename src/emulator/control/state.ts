import type { ScorePayload } from '../service/grades/lms.ts';
import { GRADE_ATTEMPT, GRADEBOOK } from '../state/attempts.ts';
import type { EmulatorState } from '../state/state.ts';
import type { ProvisionCall, ToolCode } from '../state/records.ts';
import type { Location, Member, Tool } from '../state/world.ts';
import * as s from '../../schema/schema.ts';
import { LMS, LOCATIONS_ANSWER, SHOWN_CALL } from '../state/records.ts';
import { COURSE, TOOL_STATUS, TOOL_VERSION } from '../state/world.ts';
import { KEPT_TOKEN, keptToken } from './list-people.ts';
import { FILE, shownFile } from './list-rows.ts';
import { shownLms } from './lms.ts';
import { type Control, operation } from './operation.ts';
import { showSummary, SUMMARY } from './summary.ts';
import { shownVary, VARY } from './vary.ts';

export const CODE = s.object({
  tool: s.text,
  ...s.counts('version', 'files', 'bytes', 'zip_bytes'),
  sha256: s.text,
  uploaded: s.described(s.anyNumber, 'milliseconds since the epoch'),
});

export const TOOL_FIELDS = {
  ...s.texts('id', 'api_key'),
  status: TOOL_STATUS,
  ...s.counts('current', 'pilot'),
  versions: s.list(s.object(TOOL_VERSION)),
};

/** Only the sizes of rows; tokens are left out, as they are secrets. */
const STATE = s.object({
  now: s.instant,
  summary: SUMMARY,
  vary: VARY,
  tools: s.list(
    s.object({
      ...TOOL_FIELDS,
      name: s.text,
      hosted: s.bool,
      ...s.texts('callback?', 'provision_url?', 'locations_url?'),
    }),
  ),
  courses: s.list(COURSE),
  locations: s.list(
    s.object({
      ...s.texts('id', 'course', 'tool', 'extid', 'type', 'title', 'resource_link', 'parent'),
      column: s.nullable(s.object({ lineitem: s.text, points: s.anyNumber })),
      grade_url: s.bool,
      lms: s.object(LMS),
    }),
  ),
  members: s.list(
    s.object({
      ...s.texts('id', 'user', 'course', 'given_name', 'family_name', 'email', 'lms_user'),
      groups: s.list(s.text),
      left: s.bool,
    }),
  ),
  provisioned: s.list(s.object({ row: s.text, at: s.anyNumber })),
  rows: s.list(s.object({ row: s.text, bytes: s.count })),
  files: s.list(s.object({ row: s.text, ...FILE })),
  codes: s.list(CODE),
  provision_requests: s.list(SHOWN_CALL),
  locations_answers: s.list(LOCATIONS_ANSWER),
  attempts: s.list(GRADE_ATTEMPT),
  gradebook: s.list(
    s.object({ location: s.text, member: s.text, payload: s.typed<ScorePayload>(s.mapOf(s.any)) }),
  ),
  tokens: s.list(s.object(KEPT_TOKEN)),
});
type State = s.Static<typeof STATE>;

type Cell = Record<'location' | 'member' | 'payload', string>;

export const STATE_OPERATIONS = {
  'GET state': operation({
    summary: 'everything that is stored',
    answers: STATE,
    access: 'token',
    run: (control) => stateOf(control),
  }),
};

function stateOf(control: Control): State {
  const { state } = control;
  const { world, store } = state;
  const now = state.clock.now();
  return {
    now: new Date(now).toISOString(),
    summary: showSummary(control),
    vary: shownVary(state),
    tools: world.tools.all().map(wholeTool),
    courses: world.courses.all(),
    locations: world.locations.all().map((location) => shownLocation(state, location)),
    members: world.members.all().map(shownMember),
    provisioned: store.all(
      'SELECT key AS row, provisioned AS at FROM rows WHERE at IS NOT NULL ORDER BY rowid',
    ),
    rows: store.all(
      'SELECT key AS row, length(body) AS bytes FROM rows WHERE body IS NOT NULL ORDER BY key',
    ),
    files: state.files.all('true', [], 'row, key').map((file) => {
      return Object.assign({ row: file.row }, shownFile(file));
    }),
    codes: state.hosted.codes.all().map(shownCode),
    provision_requests: state.provisionCalls.all().map(shownCall),
    locations_answers: state.locationsAnswers.all(),
    attempts: state.attempts.all(),
    gradebook: store.all<Cell>(GRADEBOOK).map(({ location, member, payload }) => {
      return { location, member, payload: JSON.parse(payload) as ScorePayload };
    }),
    tokens: state.tokens.all().map((token) => keptToken(token, now)),
  };
}

/*
 * The JSON forms of the records. Their names are those of the contract and of seeds, not of the
 * code.
 */

export function shownTool({ id, status, apiKey, current, pilot, versions }: Tool) {
  return { id, status, api_key: apiKey, current, pilot, versions };
}

function wholeTool(tool: Tool): State['tools'][number] {
  const { name, hosted, callback, provisionUrl: provision_url, locationsUrl: locations_url } = tool;
  return {
    ...shownTool(tool),
    name,
    hosted,
    ...(callback !== undefined && { callback }),
    ...(provision_url !== undefined && { provision_url }),
    ...(locations_url !== undefined && { locations_url }),
  };
}

function shownLocation(state: EmulatorState, location: Location) {
  const { id, course, tool, extid, type, title, parent, column } = location;
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
    lms: shownLms(state, id),
  };
}

function shownMember({ id, user, course, groups, email, left, ...names }: Member) {
  const { givenName: given_name, familyName: family_name, lmsUser: lms_user } = names;
  return { id, user, course, groups, given_name, family_name, email, lms_user, left };
}

function shownCall({ launchId, ...call }: ProvisionCall) {
  return { ...call, launch_id: launchId };
}

export function shownCode({ tool, version, sha256, zipSize, size, files, uploaded }: ToolCode) {
  return { tool, version, files, bytes: size, zip_bytes: zipSize, sha256, uploaded };
}
