import { Readable } from 'node:stream';
import { blobsOf, exportState } from '../store/export.ts';
import { COURSE_PREFIX, coursePage } from '../course/address.ts';
import { answerCourse } from '../course/course-page.ts';
import type { Faults } from '../http/faults.ts';
import { removeBlob } from '../service/files.ts';
import {
  bearerOf,
  bodyOf,
  jsonReply,
  noSuchAddress,
  objectOf,
  HttpError,
  errorReply,
} from '../http/messages.ts';
import type { PlainRequest, Reply } from '../http/messages.ts';
import { uploadCode, uploadRequestOf } from '../hosted/upload.ts';
import { importState } from '../store/import.ts';
import type { LaunchRequest } from '../world/launch-request.ts';
import { launch, passedOver } from '../world/launches.ts';
import { requestProvision, type ProvisionRequest } from '../world/provision-request.ts';
import { applySeed, type Seed } from '../world/seed.ts';
import type { EmulatorState } from '../state.ts';
import type { Traffic } from '../http/traffic.ts';
import type { Chaos } from '../chaos/chaos.ts';
import type { ReportLog } from '../report/report-log.ts';
import { idsOf } from './report-ids.ts';
import { askAgain, sendProvisions } from '../external/provision-calls.ts';
import { requestLocations } from '../external/locations-calls.ts';
import { DEFAULT_SIGNATURE, SIGNATURES } from '../external/signature.ts';
import { oneOf, optionalText, text, type Body } from './body.ts';
import { moveClock, showClock } from './clock.ts';
import { addFault, showFaults } from './faults.ts';
import { makeFixture } from './fixture.ts';
import { changeLms } from './lms.ts';
import { shownCode, stateOf } from './state.ts';
import { acceptLocations } from './tool-side.ts';
import {
  adoptVersion,
  changeGroups,
  changeTool,
  endToken,
  endUnderCourses,
  keyOf,
  removeMember,
  shownTool,
} from './tools.ts';

/**
 * The control side: what stands behind the service (the LMS, the clock, the dashboard), by HTTP on
 * the API origin, with a bearer token of its own. Every body and every answer is a JSON object.
 *
 * | Method and path             | Body                                              | Answer |
 * |-----------------------------|---------------------------------------------------|--------|
 * | POST …/launch               | `role` \| `member`, `course`, `location`, `tool`, `account`, `third_party`, `sign` | `claims`, `tool`, `passed_over`, `course_page` |
 * | POST …/provision-request    | `course`, `from`, `location`, `tool`              | `claims`; `sent`, the requests to tools with a `provision_url`; `not_sent`, why there is none |
 * | POST …/locations-request    | `tool`, `course` | the answer of the tool's `locations_url`, and what was found in it |
 * | POST …/fixture              |                                                   | launches of every kind |
 * | GET  …/state                |                                                   | all that is kept |
 * | POST …/lms                  | `ok: true` \| `refuse: {status, body, members, percent, times}`, `scope`, `slow_ms`, `column`, `points`, `grade_url`; `location` | `lms`, by location |
 * | POST …/key                   | `tool`                                            | `tool`, `api_key`, `origin` |
 * | POST …/token/end            | `token`                                           | `ended` |
 * | POST …/tool                 | `tool`, `action`: suspend, activate, archive, replace-code, rotate-key; publish (`visibility`; `version`, where it is there already; a hosted tool's `files`, `zip_size`, `manifest`), approve, deprecate, pilot (`version`) | `tool`, `ended` |
 * | POST …/tool/upload         | the zip of a hosted tool's code; in the query `tool`, `visibility`, `version_only` | `tool`, `ended`, `code` |
 * | POST …/adopt                | `course`, `tool`, `code`: current, pilot or a number | `version`, `ended` |
 * | POST …/locations            | `answer`: a tool's locations answer               | what the service takes of it |
 * | POST …/member/groups        | `member`, `groups`                                | `ended` |
 * | POST …/member/remove        | `member`                                          | `ended` |
 * | GET  …/clock                |                                                   | `now`, `iso`, `offset_ms` |
 * | POST …/clock                | `advance_seconds` \| `set` (ISO 8601)             | the same |
 * | POST …/fault                | `method`, `path`, `times`; `status`, `headers`, `body` \| `close` \| `cut` \| `delay_ms` | `faults` |
 * | POST …/fault/clear          |                                                   | `faults` |
 * | GET  …/requests             |                                                   | `requests` |
 * | GET  …/requests/follow      |                                                   | a line of JSON each, without an end |
 * | GET  …/report               |                                                   | `requests`, `findings`, `coverage`; `ids` of some of the world |
 * | GET  …/export               |                                                   | an export |
 * | POST …/import               | an export                                         | `{}` |
 * | POST …/reset                |                                                   | `{}` |
 *
 * `tool` and `course` are chosen where they are left out. `ended` counts tokens. A body that is not
 * understood is 422, an ID that is not there 404.
 */
export const CONTROL_PREFIX = '/_emulator/';

export interface Control {
  readonly state: EmulatorState;
  /** The world that a reset goes back to. */
  readonly seed: () => Seed;
  readonly token: string | undefined;
  readonly faults: Faults;
  readonly traffic: Traffic;
  readonly log: ReportLog;
  readonly chaos: Chaos | undefined;
}

type Operation = (control: Control, body: Body) => object | Promise<object>;

const OPERATIONS = {
  'POST launch': ({ state }, body) => {
    const request = launchRequestOf(body);
    const launched = launch(state, request);
    const { claims, token } = launched;
    const view = {
      isThirdParty: body.third_party === true,
      sign: body.sign === undefined ? DEFAULT_SIGNATURE : oneOf(body, 'sign', SIGNATURES),
    };
    return {
      claims,
      tool: token.tool,
      passed_over: passedOver(state, request, launched),
      course_page: coursePage(state, token.launchId, view),
    };
  },
  'POST provision-request': async ({ state }, body) => {
    const request = launchRequestOf(body);
    const requested = requestProvision(state, request);
    return { claims: requested.claims, ...(await sendProvisions(state, requested, request)) };
  },
  'POST locations-request': ({ state }, body) =>
    requestLocations(state, {
      tool: optionalText(body, 'tool'),
      course: optionalText(body, 'course'),
    }),
  'POST fixture': ({ state, log, token = '' }) => {
    const fixture = makeFixture(state, state.urls.api + CONTROL_PREFIX, token);
    log.handOut([fixture.non_assessment_grade_url, fixture.not_placed_grade_url]);
    return fixture;
  },
  'GET state': ({ state }) => stateOf(state),
  'POST lms': ({ state }, body) => changeLms(state, body),
  'POST key': ({ state }, body) => keyOf(state, optionalText(body, 'tool')),
  'POST token/end': ({ state }, body) => endToken(state, text(body, 'token')),
  'POST tool': ({ state }, body) => changeTool(state, body),
  'POST adopt': ({ state }, body) => adoptVersion(state, body),
  'POST locations': (_control, body) => acceptLocations(body),
  'POST member/groups': ({ state }, body) => changeGroups(state, body),
  'POST member/remove': ({ state }, body) => removeMember(state, text(body, 'member')),
  'GET clock': ({ state }) => showClock(state),
  'POST clock': async ({ state }, body) => {
    const shown = moveClock(state, body);
    await askAgain(state);
    return shown;
  },
  'POST fault': ({ faults }, body) => addFault(faults, body),
  'POST fault/clear': ({ faults }) => {
    faults.clear();
    return showFaults(faults);
  },
  'GET requests': ({ traffic }) => ({ requests: traffic.after(0) }),
  'GET report': ({ state, log }) => ({ ...log.report(), ids: idsOf(state) }),
  'POST reset': (control) => {
    reset(control);
    return {};
  },
} satisfies Readonly<Record<string, Operation>>;

/** What the operations answer. */
export type Answers = {
  readonly [Name in keyof typeof OPERATIONS]: Awaited<ReturnType<(typeof OPERATIONS)[Name]>>;
} & {
  readonly 'POST import': object;
  readonly [UPLOAD]: Awaited<ReturnType<typeof takeUpload>>;
};

/** The operations that take or give what `Answers` has no shape for. */
export type Streamed = keyof typeof STREAMS;

/** Answers a request to the control side. */
export async function answerControl(control: Control, request: PlainRequest): Promise<Reply> {
  try {
    if (request.target.startsWith(COURSE_PREFIX)) return await answerCourse(control.state, request);
    if (control.token === undefined || bearerOf(request) !== control.token) {
      throw new HttpError(401, 'control.token', 'the control side needs its own bearer token');
    }
    const [path = '', query = ''] = request.target.slice(CONTROL_PREFIX.length).split('?');
    const name = `${request.method} ${path}`;
    checkContentType(request, name);
    if (name === UPLOAD) return jsonReply(200, await takeUpload(control.state, request, query));
    if (query !== '') noSuchAddress();
    if (isIn(STREAMS, name)) return await STREAMS[name](control, request);
    if (!isIn(OPERATIONS, name)) noSuchAddress();
    const body = request.method === 'GET' ? {} : await objectOf(request);
    const operation: Operation = OPERATIONS[name];
    return jsonReply(200, await operation(control, body));
  } catch (error) {
    if (error instanceof HttpError) return errorReply(error);
    throw error;
  }
}

const UPLOAD = 'POST tool/upload';

/**
 * A page can send other types than these without asking first, and a body without a type. Programs,
 * which name no `Origin`, may leave the type out.
 */
function checkContentType({ method, headers }: PlainRequest, name: string): void {
  if (method !== 'POST') return;
  const { 'content-type': given, origin } = headers;
  if (given === undefined && origin === undefined) return;
  const expected = name === UPLOAD ? 'application/zip' : 'application/json';
  if (String(given).split(';')[0]?.trim().toLowerCase() === expected) return;
  throw new HttpError(415, 'control.content_type', `send this as ${expected}`);
}

async function takeUpload(state: EmulatorState, request: PlainRequest, query: string) {
  const zip = Buffer.from(await bodyOf(request));
  const { before, tool, code } = await uploadCode(state, uploadRequestOf(query), zip);
  return {
    tool: shownTool(tool),
    ended: endUnderCourses(state, before, tool),
    code: shownCode(code),
  };
}

function isIn<Table extends object>(table: Table, name: PropertyKey): name is keyof Table {
  return Object.hasOwn(table, name);
}

/** What is too large for one JSON object, or has no end. */
const STREAMS = {
  'GET requests/follow': async ({ traffic }) => linesReply(traffic.follow()),
  'GET export': async ({ state }) => linesReply(Readable.from(exportState(state))),
  'POST import': async (control, { body }) => {
    await importState(control.state, body);
    forgetTraffic(control);
    control.log.forgetState();
    return jsonReply(200, {});
  },
} satisfies Readonly<Record<string, (control: Control, request: PlainRequest) => Promise<Reply>>>;

/** Whether a control request's body is to be given as it comes. */
export function isStreamed(target: string): boolean {
  return target === `${CONTROL_PREFIX}import`;
}

function linesReply(body: Readable): Reply {
  return { status: 200, headers: { 'content-type': 'application/x-ndjson' }, body };
}

/** Forgets everything, and plants the seed anew. */
function reset(control: Control): void {
  const { state, seed } = control;
  for (const blob of blobsOf(state)) removeBlob(state, blob);
  state.store.clear();
  state.timestamps.forget();
  applySeed(state, seed());
  forgetTraffic(control);
  control.log.reset();
  control.chaos?.reset();
}

function forgetTraffic({ state, faults, traffic }: Control): void {
  state.hosted.refused.clear();
  state.hosted.noticed.clear();
  state.delays.endAll();
  faults.clear();
  traffic.clear();
}

function launchRequestOf(body: Body): LaunchRequest & ProvisionRequest {
  const fields = ['role', 'member', 'course', 'from', 'location', 'tool'] as const;
  const given = fields.flatMap((field) => {
    const value = optionalText(body, field);
    return value === undefined ? [] : [[field, value] as const];
  });
  return { ...Object.fromEntries(given), account: body.account === true };
}
