import { KEY_PAYLOAD } from '../../contract/index.ts';
import * as s from '../../schema/schema.ts';
import type { Store } from '../store/store.ts';
import { COURSE, ID, ID_OR_NONE, LOCATION, MEMBER, ROW_KEY, TOOL } from './world.ts';

/** An instant in ms since the epoch, within the range of a date. */
export const INSTANT_MS = s.numberIn(-8.64e15, 8.64e15);

/** The setting with the private key that signs launches, as a JSON Web Key. */
export const LAUNCH_KEY = 'launches';

/** Why a token ended ("States: launch token"); '' for one that has not. */
const ENDED = s.oneOf(
  '',
  'idle',
  'lifetime over',
  'tool suspended',
  'tool archived',
  'code replaced',
  'left the course',
  'membership changed',
  'ended by hand',
);
export type EndReason = Exclude<s.Static<typeof ENDED>, ''>;

/** A launch's `api.token`, or the token of a provision request, with its launch. */
const TOKEN = s.object({
  token: s.text,
  kind: s.oneOf('launch', 'provision'),
  launch_id: s.text,
  tool: ID,
  course: ID,
  /** '' for a provision request of the course alone. */
  location: ID_OR_NONE,
  /** The member and user who launched; both '' for a provision request. */
  member: ID_OR_NONE,
  user: ID_OR_NONE,
  /** Whether `grade.submit` has the account shape. */
  account: s.bool,
  issued: INSTANT_MS,
  last_call: INSTANT_MS,
  ended: ENDED,
});
export type Token = s.Static<typeof TOKEN>;

export const FILE_KEY = s.typed<string>({
  ...KEY_PAYLOAD,
  title: 'the key of a file',
});

const DECLARED = {
  row: ROW_KEY,
  key: FILE_KEY,
  size: s.anyNumber,
  content_type: s.text,
  filename: s.text,
  attachment: s.bool,
};

/** An uploaded file; `blob` is the ID of its bytes. A file of a seed may have none: they read as zeros. */
const STORED_FILE = s.object({
  ...DECLARED,
  blob: s.text,
  modified: INSTANT_MS,
  has_no_bytes: s.bool,
});
export type StoredFile = s.Static<typeof STORED_FILE>;

/** A declared file that is not uploaded yet; usable once, until `expires`. */
const UPLOAD = s.object({
  ...DECLARED,
  id: s.text,
  fields: s.mapOf(s.text),
  expires: INSTANT_MS,
});
export type Upload = s.Static<typeof UPLOAD>;

/** Which scores the LMS refuses; all of them by default. */
const LMS_REFUSAL = s.object({
  status: s.httpStatus,
  body: s.text,
  'members?': s.described(s.list(s.text), 'of these members only'),
  'percent?': s.described(
    s.anyNumber,
    'this percentage of them, spread evenly: exactly this many of 100 scores',
  ),
  'asked?': s.described(s.count, 'how many scores the percentage has been applied to'),
  'times?': s.described(s.count, 'how many are still refused before all scores are accepted again'),
});
export type LmsRefusal = s.Static<typeof LMS_REFUSAL>;

/** The behaviour of the LMS, as it is shown. */
export const LMS = {
  refuse: s.nullable(LMS_REFUSAL),
  scope: s.described(s.oneOf('score', 'lineitem'), 'score: the line item scope is not granted'),
  column: s.described(s.oneOf('present', 'missing'), 'missing: removed from the gradebook'),
  slow_ms: s.described(s.anyNumber, 'how long it takes to answer'),
};

/** How the LMS behaves at one location, or everywhere. */
const LMS_BEHAVIOUR = s.object({
  location: s.text,
  'refuse?': LMS.refuse,
  'scope?': LMS.scope,
  'column?': LMS.column,
  'slow_ms?': LMS.slow_ms,
});
export type LmsSetting = s.Static<typeof LMS_BEHAVIOUR>;
export type LmsBehaviour = Required<Omit<LmsSetting, 'location'>>;

/** The code of one version of a hosted tool: the uploaded zip. */
const TOOL_CODE = s.object({
  tool: ID,
  version: s.anyNumber,
  /** The zip's ID among the blobs. */
  blob: s.text,
  sha256: s.text,
  /** Bytes of the zip; and of its files, unpacked. */
  zip_size: s.anyNumber,
  size: s.anyNumber,
  files: s.anyNumber,
  uploaded: INSTANT_MS,
});
export type ToolCode = s.Static<typeof TOOL_CODE>;

/** Lets a frame read one version of a tool's code and its own launch. */
const TICKET = s.object({ ...s.texts('ticket', 'launch_id'), tool: ID, version: s.anyNumber });
export type Ticket = s.Static<typeof TICKET>;

const status = s.described(s.nullable(s.httpStatus), 'null if there was no answer');
const asked = s.described(INSTANT_MS, 'milliseconds since the epoch');

/** The latest provision request to a tool's server for one level. */
export const PROVISION_CALL = s.object({
  tool: ID,
  course: ID,
  location: ID_OR_NONE,
  requests: s.described(s.count, 'how often the tool was asked: again without a finish call'),
  asked,
  status,
  error: s.nullable(s.text),
  launch_id: s.text,
});
export type ProvisionCall = s.Static<typeof PROVISION_CALL>;

/** The latest answer of a tool to a locations request, for one course. */
export const LOCATIONS_ANSWER = s.object({
  tool: ID,
  course: ID,
  asked,
  status,
  error: s.described(s.nullable(s.text), 'why the answer is missing or unusable'),
  answer: s.described(
    s.nullable(
      s.object({ locations: s.any, grouped_locations: s.any, message: s.nullable(s.text) }),
    ),
    'what the service accepts of it; null if it rejects it',
  ),
  findings: s.list(s.object({ ...s.texts('code', 'severity', 'path', 'message', 'hint') })),
});
export type LocationsAnswer = s.Static<typeof LOCATIONS_ANSWER>;

/** The largest offset of the clock: some ten thousand years. */
const MAX_OFFSET_MS = 3e14;

const CLOCK = s.object({
  id: s.oneOf('clock'),
  offset: s.numberIn(-MAX_OFFSET_MS, MAX_OFFSET_MS),
  /** When it was last moved, by the machine's clock. */
  moved: INSTANT_MS,
});

/** The seed, and secrets; `seed` is checked as a seed is. */
const SETTING = s.object({ name: s.text, value: s.any });

/** The last port of an origin, so that the URLs of saved launches stay valid. */
const PORT = s.object({
  name: s.text,
  port: s.count,
  /** The host names under which frames of a tool were served. */
  hosts: s.list(s.text),
});

/** The tables of records, by their names in the store. */
export function tablesOf(store: Store) {
  return {
    tools: store.table('tools', TOOL),
    courses: store.table('courses', COURSE),
    locations: store.table('locations', LOCATION),
    members: store.table('members', MEMBER),
    tokens: store.table('tokens', TOKEN),
    provisionCalls: store.table('provision_calls', PROVISION_CALL),
    locationsAnswers: store.table('locations_answers', LOCATIONS_ANSWER),
    files: store.table('files', STORED_FILE),
    uploads: store.table('uploads', UPLOAD),
    lms: store.table('lms', LMS_BEHAVIOUR),
    codes: store.table('codes', TOOL_CODE),
    tickets: store.table('tickets', TICKET),
    clock: store.table('clock', CLOCK),
    settings: store.table('settings', SETTING),
    ports: store.table('ports', PORT),
  };
}
export type Tables = ReturnType<typeof tablesOf>;
