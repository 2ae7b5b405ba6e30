import { lmsAt, type ScorePayload } from '../service/grades/lms.ts';
import { GRADE_ATTEMPT, GRADEBOOK } from '../state/attempts.ts';
import type { Token, ToolCode } from '../state/records.ts';
import { endOf } from '../state/tokens.ts';
import { columnSchemas, itemSchema } from '../../control-api/schemas.ts';
import * as s from '../../schema/schema.ts';
import { LMS, LOCATIONS_ANSWER, PROVISION_CALL } from '../state/records.ts';
import { COURSE, LOCATION_FIELDS, MEMBER, TOOL } from '../state/world.ts';
import { shownFile } from './lists.ts';
import { type Control, operation } from './operation.ts';
import { showSummary, SUMMARY } from './summary.ts';
import { shownVary, VARY } from './vary.ts';

export const CODE = s.object({
  tool: s.text,
  ...s.counts('version', 'files', 'bytes', 'zip_bytes'),
  sha256: s.text,
  uploaded: s.described(s.anyNumber, 'milliseconds since the epoch'),
});

const OF_LIST = columnSchemas('tokens');
/** A token without its text, which is a secret. */
const KEPT_TOKEN = {
  launch_id: OF_LIST.launch_id,
  tool: OF_LIST.tool,
  course: OF_LIST.course,
  location: OF_LIST.location,
  member: OF_LIST.member,
  kind: OF_LIST.kind,
  issued: OF_LIST.issued,
  last_call: OF_LIST.last_call,
  ended: OF_LIST.ended,
};

/** Only the sizes of rows; tokens are left out, as they are secrets. */
const STATE = s.object({
  now: s.instant,
  summary: SUMMARY,
  vary: VARY,
  tools: s.list(TOOL),
  courses: s.list(COURSE),
  locations: s.list(s.object({ ...LOCATION_FIELDS, lms: s.object(LMS) })),
  members: s.list(MEMBER),
  provisioned: s.list(s.object({ row: s.text, at: s.anyNumber })),
  rows: s.list(s.object({ row: s.text, bytes: s.count })),
  files: s.list(itemSchema('files')),
  codes: s.list(CODE),
  provision_requests: s.list(PROVISION_CALL),
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
    tools: world.tools.all(),
    courses: world.courses.all(),
    locations: world.locations.all().map((location) => {
      return Object.assign(location, { lms: lmsAt(state, location.id) });
    }),
    members: world.members.all(),
    provisioned: store.all(
      'SELECT key AS row, provisioned AS at FROM rows WHERE at IS NOT NULL ORDER BY rowid',
    ),
    rows: store.all(
      'SELECT key AS row, size AS bytes FROM rows WHERE size IS NOT NULL ORDER BY key',
    ),
    files: state.files.all('true', [], 'row, key').map(shownFile),
    codes: state.hosted.codes.all().map(shownCode),
    provision_requests: state.provisionCalls.all(),
    locations_answers: state.locationsAnswers.all(),
    attempts: state.attempts.all(),
    gradebook: store.all<Cell>(GRADEBOOK).map(({ location, member, payload }) => {
      return { location, member, payload: JSON.parse(payload) as ScorePayload };
    }),
    tokens: state.tokens.all().map((token) => keptToken(token, now)),
  };
}

function keptToken(token: Token, now: number) {
  const { kind, launch_id, tool, course, location, member, issued, last_call } = token;
  const ids = { launch_id, tool, course, location, member };
  return { ...ids, kind, issued, last_call, ended: endOf(token, now) };
}

export function shownCode({ tool, version, sha256, zip_size, size, files, uploaded }: ToolCode) {
  return { tool, version, files, bytes: size, zip_bytes: zip_size, sha256, uploaded };
}
